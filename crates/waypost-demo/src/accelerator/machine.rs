//! The ring: what is set, and what is read as it follows from the settings and the clock.
//!
//! ```text
//! current  = FULL * exp(-hours since the last fill / lifetime)
//! lifetime = 1 / (1 / gas + 1 / Touschek), the gas by the pressure, Touschek by the cavity voltage
//! tune     = its usual one + a slope * the mean change of the QF (or QD) currents
//! orbit    = the responses to all correctors + what undulators and the tunnel's warmth do
//! ```
//!
//! The present moment of a server stands still, so a setting shows all that it does at once, even
//! what takes minutes in a real ring. None of it is a design of a real machine.

use std::collections::BTreeMap;
use std::f64::consts::{PI, TAU};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::channels::{self, Channel, DOORS, Kind, PERMIT, Quantity, Reading};
use super::clock::{self, DAY};
use crate::number::round;
use crate::pack::Failure;
use crate::random::{normal, uniform};

/// The sectors, which have as many position monitors and correctors of a plane.
const SECTORS: usize = 8;

/// The current of a full ring, mA.
const FULL: f64 = 200.0;

/// The ring is filled at 02:00, 10:00 and 18:00 of the site's clock.
const FILL: i64 = 2 * 3600;
const FILL_EVERY: i64 = 8 * 3600;

/// Every day of the past has an RF trip, from 09:35 until the fill at 10:00. A week in 500 points
/// has a step of 20 minutes, so that none is missed.
const TRIP: std::ops::Range<i64> = 9 * 3600 + 35 * 60..10 * 3600;

/// Every day of the past has a burst of gas in sector 3 at 21:15, which fades in 90 minutes.
const BURST: i64 = 21 * 3600 + 15 * 60;
const BURST_SECTOR: usize = 2;
const BURST_MINUTES: f64 = 90.0;
/// The times by which the pressure rises in it, and the share of the beam that it costs.
const BURST_RISE: f64 = 60.0;
const BURST_COST: f64 = 0.06;

/// The time in which a burst fades, and the cavity cools, to a third, in minutes.
const FADING_MINUTES: f64 = 12.0;

/// The dipole current at which the beam has its energy, A, and that energy, GeV.
const DIPOLE: f64 = 420.0;
const ENERGY: f64 = 0.5;

/// The frequency that fits the length of the ring, MHz, and how far off it beam is kept.
const FREQUENCY: f64 = 499.65;
const FREQUENCY_REACH: f64 = 0.1;

/// The phase of the cavity at which its whole voltage works, degrees.
const PHASE: f64 = 150.0;

/// The least cavity voltage that keeps beam, kV.
const LEAST_VOLTAGE: f64 = 450.0;

/// The usual tunes, horizontal and vertical, and what an ampere in a whole family adds.
const TUNES: [f64; 2] = [7.214, 3.138];
const TUNE_SLOPE: f64 = 0.05;

/// The most by which the mean current of a family of quadrupoles may be off, A: beyond it there is no optics.
const FOCUSING_REACH: f64 = 4.0;

/// The orbit that an ampere in a corrector makes, mm, and where the chamber scrapes the beam.
const REACH: f64 = 0.3;
const CHAMBER: f64 = 8.0;

/// The cooling water, °C, with which the safety permit is given.
const WATER: std::ops::RangeInclusive<f64> = 15.0..=35.0;

/// The settings by address; an address that is not in it is as the table has it.
type Changed = BTreeMap<&'static str, Reading>;

/// The settings of a server's ring, shared by all its calls.
#[derive(Debug, Default)]
pub(super) struct Settings {
    changed: Mutex<Changed>,
}

impl Settings {
    /// The ring as it is set now.
    pub(super) fn machine(&self) -> Machine {
        Machine::of(&self.lock())
    }

    /// Sets a channel to a value that fits it, and returns what it was set to before.
    ///
    /// # Errors
    ///
    /// `FAILED_PRECONDITION` if it is interlocked and there is no safety permit.
    pub(super) fn set(
        &self,
        channel: &'static Channel,
        value: Reading,
    ) -> Result<Reading, Failure> {
        let mut changed = self.lock();
        if channel.interlocked && !Machine::of(&changed).has_permit() {
            return Err(Failure {
                code: "FAILED_PRECONDITION",
                message: format!(
                    "`{}` is interlocked while the safety permit is missing; read `SAFETY:PERMIT`",
                    channel.address
                ),
            });
        }
        let before = setting(&changed, channel);
        changed.insert(channel.address.as_str(), value);
        Ok(before)
    }

    /// The value that a channel is set to.
    pub(super) fn of(&self, channel: &Channel) -> Reading {
        setting(&self.lock(), channel)
    }

    fn lock(&self) -> MutexGuard<'_, Changed> {
        // A call that broke off has left whole settings: each change is a single step.
        self.changed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The value that a channel is set to; 0 of one that is measured.
fn setting(changed: &Changed, channel: &Channel) -> Reading {
    let changed = changed.get(channel.address.as_str()).copied();
    changed.or_else(|| channel.initial()).unwrap_or(Reading::Number(0.0))
}

/// The number that an address is set to.
fn number(changed: &Changed, address: &str) -> f64 {
    match channels::find(address).map(|channel| setting(changed, channel)) {
        Some(Reading::Number(value)) => value,
        _ => 0.0,
    }
}

/// The distance of an address from where it began.
fn moved(changed: &Changed, address: &str) -> f64 {
    number(changed, address) - number(&Changed::new(), address)
}

/// Returns whether an address is set as in a ring that runs.
fn runs(changed: &Changed, address: &str) -> bool {
    channels::find(address).is_some_and(|channel| {
        let first = channel.states().map(|[first, _]| Reading::Word(first));
        first == Some(setting(changed, channel))
    })
}

/// The ring with its settings, and what they come to whatever the time is.
#[derive(Debug)]
pub(super) struct Machine {
    changed: Changed,
    /// True if the pump of each sector is on.
    pumping: [bool; SECTORS],
    /// True if the valve of each sector is open.
    open: [bool; SECTORS],
    /// The open shutters.
    shutters: u32,
    /// The orbit at each monitor, of both planes, mm, as far as settings make it.
    orbits: [[f64; SECTORS]; 2],
    /// The mean change of QF and of QD, A.
    focusing: [f64; 2],
    /// The change of the strength of both undulators.
    undulators: [f64; 2],
    dipole: f64,
    voltage: f64,
    /// The voltage that works on the beam.
    effective_voltage: f64,
    frequency: f64,
    gun: f64,
    rate: f64,
    water: f64,
    /// True if all this keeps a beam.
    beam: bool,
}

impl Machine {
    /// The ring as nobody has set anything.
    pub(super) fn usual() -> Self {
        Self::of(&Changed::new())
    }

    fn of(changed: &Changed) -> Self {
        let sector = |device: &'static str| {
            move |index: usize| runs(changed, &format!("VAC:S{}:{device}", index + 1))
        };
        let kicks = |family: &str| -> [f64; SECTORS] {
            std::array::from_fn(|index| {
                moved(changed, &format!("MAG:{family}{}:CURRENT", index + 1))
            })
        };
        let focusing = |family: &str| {
            let magnets = (1..=4).map(|index| format!("MAG:{family}{index}:CURRENT"));
            magnets.map(|address| moved(changed, &address)).sum::<f64>() / 4.0
        };
        let undulator = |address: &str| {
            // The field of an undulator falls with its gap.
            let field = |gap: f64| (-gap / 20.0).exp();
            field(number(changed, address)) - field(number(&Changed::new(), address))
        };
        let undulators = [undulator("ID:U1:GAP"), undulator("ID:U2:GAP")];
        let mut orbits = [orbit(0, &kicks("HC")), orbit(1, &kicks("VC"))];
        // The undulators stand beside the monitors 3 and 7.
        orbits[0][2] += 0.3 * undulators[0];
        orbits[0][6] += 0.3 * undulators[1];
        let voltage = number(changed, "RF:CAVITY:VOLTAGE");
        let phase = (number(changed, "RF:CAVITY:PHASE") - PHASE).to_radians();
        let shutters = (1..=3).filter(|index| runs(changed, &format!("FE:{index}:SHUTTER")));
        let mut machine = Self {
            pumping: std::array::from_fn(sector("PUMP")),
            open: std::array::from_fn(sector("VALVE")),
            shutters: shutters.count() as u32,
            orbits,
            focusing: [focusing("QF"), focusing("QD")],
            undulators,
            dipole: number(changed, "MAG:B1:CURRENT"),
            voltage,
            effective_voltage: voltage * phase.cos(),
            frequency: number(changed, "RF:MASTER:FREQUENCY"),
            gun: number(changed, "INJ:GUN:VOLTAGE"),
            rate: number(changed, "INJ:RATE"),
            water: number(changed, "WATER:TEMPERATURE"),
            changed: changed.clone(),
            beam: false,
        };
        machine.beam = machine.keeps_beam();
        machine
    }

    /// The ring at the present moment. It knows none of the events of the past: a server's moment
    /// stands still, so that one which began during a trip would have no beam for good.
    pub(super) fn now(&self, second: i64) -> Moment<'_> {
        Moment { machine: self, second, past: false }
    }

    /// The ring at a moment of the past.
    pub(super) fn past(&self, second: i64) -> Moment<'_> {
        Moment { machine: self, second, past: true }
    }

    /// Returns whether beam is allowed: the doors are always shut here, so it is the cooling water.
    fn has_permit(&self) -> bool {
        WATER.contains(&self.water)
    }

    /// Returns whether the settings keep a beam. Shutters stop light and no beam.
    fn keeps_beam(&self) -> bool {
        self.has_permit()
            && self.open.iter().all(|open| *open)
            && (self.dipole / DIPOLE - 1.0).abs() < 0.03
            && self.effective_voltage >= LEAST_VOLTAGE
            && (self.frequency - FREQUENCY).abs() < FREQUENCY_REACH
            && self.focusing.iter().all(|change| change.abs() < FOCUSING_REACH)
            && self.clear_of_resonance() > 0.0
            && self.orbits.iter().flatten().all(|orbit| orbit.abs() < CHAMBER)
    }

    /// The tune of a plane. An undulator focuses vertically.
    fn tune(&self, plane: usize) -> f64 {
        let undulators: f64 = self.undulators.iter().sum();
        TUNES[plane] + TUNE_SLOPE * self.focusing[plane] + 0.01 * plane as f64 * undulators
    }

    /// The share of the lifetime that resonances leave: near a whole or a half tune errors add up.
    fn clear_of_resonance(&self) -> f64 {
        let clear = |plane: usize| {
            let doubled = 2.0 * self.tune(plane);
            let distance = (doubled - doubled.round()).abs() / 2.0;
            ((distance - 0.01) / 0.05).clamp(0.0, 1.0)
        };
        clear(0).min(clear(1))
    }
}

/// The orbit of a plane at all monitors, mm, that kicks of the correctors make.
fn orbit(plane: usize, kicks: &[f64; SECTORS]) -> [f64; SECTORS] {
    std::array::from_fn(|monitor| {
        let kicks = kicks.iter().enumerate();
        kicks.map(|(corrector, kick)| kick * response(plane, monitor, corrector)).sum()
    })
}

/// The response of a closed orbit to a kick: cos(|Δφ| − πν) / (2 sin πν), of an ampere in mm.
fn response(plane: usize, monitor: usize, corrector: usize) -> f64 {
    let tune = TUNES[plane];
    let apart = (monitor as f64 - corrector as f64 - 0.5).abs() / SECTORS as f64;
    REACH * (TAU * tune * apart - PI * tune).cos() / (2.0 * (PI * tune).sin())
}

/// The ring at a moment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment<'a> {
    machine: &'a Machine,
    second: i64,
    /// True if it knows the events of the past.
    past: bool,
}

impl Moment<'_> {
    /// The value of a channel.
    pub(super) fn reading(&self, channel: &Channel) -> Reading {
        let quantity = match channel.kind {
            Kind::Measured(quantity) => quantity,
            // Nothing else that is set changes by itself.
            Kind::Number { .. } if self.trips() && channel.address == "RF:CAVITY:VOLTAGE" => {
                return Reading::Number(0.0);
            }
            Kind::Number { .. } | Kind::Word(_) => return setting(&self.machine.changed, channel),
        };
        let index = (channel.number as usize).saturating_sub(1);
        let (value, spread) = match quantity {
            Quantity::Permit => {
                return Reading::Word(PERMIT[usize::from(!self.machine.has_permit())]);
            }
            Quantity::Doors => return Reading::Word(DOORS[0]),
            Quantity::OrbitX => self.orbit(0, index, channel),
            Quantity::OrbitY => self.orbit(1, index, channel),
            Quantity::Pressure => {
                let pressure = self.steady(index) + self.burst_of(index);
                (pressure, 0.02 * pressure)
            }
            other => self.measured(other),
        };
        // What is off stays at nothing.
        let spread = if value == 0.0 { 0.0 } else { spread };
        let noise = spread * normal(&[channel.key, self.second.cast_unsigned()]);
        let value = match quantity {
            Quantity::OrbitX | Quantity::OrbitY => value + noise,
            _ => (value + noise).max(0.0),
        };
        Reading::Number(round(value, channel.decimals))
    }

    /// The things of which the ring has one: its value, and how much the noise is. Without beam there
    /// is nothing to measure about it.
    fn measured(&self, quantity: Quantity) -> (f64, f64) {
        let machine = self.machine;
        let of_beam = matches!(
            quantity,
            Quantity::Current
                | Quantity::Lifetime
                | Quantity::TuneX
                | Quantity::TuneY
                | Quantity::EmittanceX
                | Quantity::EmittanceY
        );
        if of_beam && !self.has_beam() {
            return (0.0, 0.0);
        }
        match quantity {
            Quantity::Current => (self.current(), 0.02),
            Quantity::Energy => (ENERGY * machine.dipole / DIPOLE, 0.000_05),
            Quantity::Lifetime => (self.lifetime(self.mean_pressure() + self.mean_burst()), 0.03),
            Quantity::Loss => (self.loss(), 3.0),
            Quantity::TuneX => (machine.tune(0), 0.0003),
            Quantity::TuneY => (machine.tune(1), 0.0003),
            Quantity::EmittanceX => (30.0 * (1.0 + (machine.focusing[0] / 4.0).powi(2)), 0.05),
            Quantity::EmittanceY => (0.3 * (1.0 + self.vertical_swing().powi(2)), 0.002),
            Quantity::Efficiency => (self.efficiency(), 0.7),
            Quantity::LinacEnergy if machine.gun > 0.0 => (500.0 + 0.2 * (machine.gun - 90.0), 0.1),
            Quantity::ForwardPower => (self.forward_power(), 0.05),
            Quantity::ReflectedPower => (self.reflected_power(), 0.01),
            Quantity::CavityTemperature => (self.cavity_temperature(), 0.03),
            Quantity::WaterFlow => (180.0 + self.daily(0.0), 0.5),
            Quantity::TunnelTemperature => (self.tunnel_temperature(), 0.02),
            Quantity::Dose => (self.dose(), 0.003),
            _ => (0.0, 0.0),
        }
    }

    fn of_day(&self) -> i64 {
        clock::of_day(self.second)
    }

    /// Returns whether it is during a trip of the RF.
    fn trips(&self) -> bool {
        self.past && TRIP.contains(&self.of_day())
    }

    fn has_beam(&self) -> bool {
        !self.trips() && self.machine.beam
    }

    /// The hours since the last fill.
    fn hours(&self) -> f64 {
        (self.of_day() - FILL).rem_euclid(FILL_EVERY) as f64 / 3600.0
    }

    /// The minutes since the burst of gas began, of a moment in the same fill of the past.
    fn burst_minutes(&self) -> Option<f64> {
        let since = (self.of_day() - BURST).rem_euclid(DAY);
        let rest_of_fill = DAY + FILL - BURST;
        (self.past && since < rest_of_fill).then_some(since as f64 / 60.0)
    }

    /// The pressure that the burst adds to a sector, mbar.
    fn burst_of(&self, sector: usize) -> f64 {
        match self.burst_minutes() {
            Some(minutes) if sector == BURST_SECTOR && minutes < BURST_MINUTES => {
                BURST_RISE * self.steady(sector) * (-minutes / FADING_MINUTES).exp()
            }
            _ => 0.0,
        }
    }

    fn mean_burst(&self) -> f64 {
        self.burst_of(BURST_SECTOR) / SECTORS as f64
    }

    /// The pressure of a sector without burst and noise, mbar. The light of the beam drives gas
    /// from the walls; a pump that is off, or a valve that is closed, lets it stay.
    fn steady(&self, sector: usize) -> f64 {
        let base = 0.9e-9 + 0.4e-9 * uniform(&[sector as u64, 7]);
        // The usual decay: that of the present lifetime would need the pressure itself.
        let filled = if self.has_beam() { (-self.hours() / 11.0).exp() } else { 0.0 };
        let pump = if self.machine.pumping[sector] { 1.0 } else { 60.0 };
        let valve = if self.machine.open[sector] { 1.0 } else { 4.0 };
        base * (1.0 + 0.6 * filled) * pump * valve
    }

    fn mean_pressure(&self) -> f64 {
        (0..SECTORS).map(|sector| self.steady(sector)).sum::<f64>() / SECTORS as f64
    }

    /// The lifetime at a pressure, hours.
    fn lifetime(&self, pressure: f64) -> f64 {
        let gas = 24.0 * 1.6e-9 / pressure;
        let touschek = 18.0 * self.machine.effective_voltage / 1000.0;
        self.machine.clear_of_resonance() / (1.0 / gas + 1.0 / touschek)
    }

    /// The beam current, mA. A burst costs its share, and the beam does not come back before the
    /// next fill.
    fn current(&self) -> f64 {
        let left = (-self.hours() / self.lifetime(self.mean_pressure())).exp();
        let kept = |minutes: f64| 1.0 - BURST_COST * (1.0 - (-minutes / FADING_MINUTES).exp());
        FULL * left * self.burst_minutes().map_or(1.0, kept)
    }

    /// The losses, 1/s; a few counts are there without beam too.
    fn loss(&self) -> f64 {
        if !self.has_beam() {
            return 2.0;
        }
        2.0 + 20.0 * self.current() / self.lifetime(self.mean_pressure() + self.mean_burst())
    }

    /// The root mean square of the vertical orbit that settings make, mm.
    fn vertical_swing(&self) -> f64 {
        let squares = self.machine.orbits[1].iter().map(|orbit| orbit.powi(2));
        (squares.sum::<f64>() / SECTORS as f64).sqrt()
    }

    /// The injection efficiency, %: the gun has to fit, and there must be shots and a ring to keep
    /// them.
    fn efficiency(&self) -> f64 {
        if self.machine.rate <= 0.0 || !self.has_beam() {
            return 0.0;
        }
        let gun = (-((self.machine.gun - 90.0) / 25.0).powi(2)).exp();
        82.0 * gun * self.machine.clear_of_resonance() + self.daily(6.0)
    }

    fn forward_power(&self) -> f64 {
        if self.trips() {
            return 0.0;
        }
        let beam = if self.has_beam() { self.current() } else { 0.0 };
        45.0 * (self.machine.voltage / 1000.0).powi(2) + 0.06 * beam
    }

    /// The power that comes back, kW: the more, the further the cavity is from its usual warmth.
    fn reflected_power(&self) -> f64 {
        let off = (self.cavity_temperature() - 45.0) / 25.0;
        self.forward_power() * (0.015 + off.powi(2)).min(0.9)
    }

    /// The temperature of the cavity, °C: the water's, and what the voltage heats.
    fn cavity_temperature(&self) -> f64 {
        let heating = 20.0 * (self.machine.voltage / 1000.0).powi(2);
        self.machine.water + heating * self.warmth() + 0.2 * self.daily(0.0)
    }

    /// The share of its heating that the cavity has: it cools in a trip and is warm again after.
    fn warmth(&self) -> f64 {
        let fading = |seconds: i64| (-(seconds as f64) / 60.0 / FADING_MINUTES).exp();
        let second = self.of_day();
        if !self.past || second < TRIP.start {
            1.0
        } else if second < TRIP.end {
            fading(second - TRIP.start)
        } else {
            1.0 - (1.0 - fading(TRIP.end - TRIP.start)) * fading(second - TRIP.end)
        }
    }

    /// A wave of a day between -1 and 1, highest in the afternoon, later by some hours.
    fn daily(&self, later: f64) -> f64 {
        let hours = self.of_day() as f64 / 3600.0 - later;
        (TAU * (hours - 9.0) / 24.0).sin()
    }

    /// The temperature of the tunnel, °C: it follows the day, the weather of some days, and the
    /// water.
    fn tunnel_temperature(&self) -> f64 {
        let days = self.second as f64 / DAY as f64;
        let weather = 0.3 * (TAU * days / 6.3).sin();
        24.0 + 0.5 * self.daily(0.0) + weather + 0.2 * (self.machine.water - 25.0)
    }

    /// The dose rate in the hall, µSv/h: a background, what the losses make, the fill, and a little
    /// through each open shutter.
    fn dose(&self) -> f64 {
        if !self.has_beam() {
            return 0.08;
        }
        let fill = if self.hours() < 0.05 { 0.6 } else { 0.0 };
        let light = 0.02 * f64::from(self.machine.shutters) * self.current() / FULL;
        0.08 + 0.0002 * self.loss() + light + fill
    }

    /// The orbit at a monitor, mm, and its noise. All monitors drift with the tunnel, the fourth
    /// horizontally by far the most: it stands on a girder of its own.
    fn orbit(&self, plane: usize, monitor: usize, channel: &Channel) -> (f64, f64) {
        if !self.has_beam() {
            return (0.0, 0.0);
        }
        let offset = 0.08 * (2.0 * uniform(&[channel.key, 3]) - 1.0);
        let drift = if (plane, monitor) == (0, 3) { 0.03 } else { 0.004 };
        let warmth = self.tunnel_temperature() - 24.0;
        (self.machine.orbits[plane][monitor] + offset + drift * warmth, 0.001)
    }
}
