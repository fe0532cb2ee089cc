//! Vietnamese words for coordinates and for what lies near a place.

use crate::extract::grammar::term::{Axis, Hemisphere, Term};
use crate::extract::lang::Group;
use crate::extract::value::Relation;

pub(super) const WORDS: &[Group] = &[
    (Term::Hemisphere(Hemisphere::East), &["kinh độ đông", "độ kinh đông", "độ đông", "đông"]),
    (Term::Hemisphere(Hemisphere::West), &["kinh độ tây", "độ kinh tây", "độ tây", "tây"]),
    (Term::Hemisphere(Hemisphere::North), &["vĩ độ bắc", "độ vĩ bắc", "độ bắc", "bắc"]),
    (Term::Hemisphere(Hemisphere::South), &["vĩ độ nam", "độ vĩ nam", "độ nam"]),
    (Term::Axis(Axis::Longitude), &["kinh độ"]),
    (Term::Axis(Axis::Latitude), &["vĩ độ"]),
    (Term::Degree, &["độ"]),
    (Term::Is, &["là"]),
    (Term::Coordinates, &["tọa độ", "toạ độ", "vị trí"]),
    (Term::Before(Relation::Around), &["gần", "quanh", "xung quanh", "lân cận"]),
    (Term::Before(Relation::Offshore), &["ngoài khơi", "vùng biển", "bờ biển"]),
];
