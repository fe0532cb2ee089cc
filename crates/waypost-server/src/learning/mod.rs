//! The care of a running program for its students: it trains challengers, promotes them where the
//! configuration wants it, and takes up what was promoted. `waypost_learning::promotion` decides
//! which of them may serve.

pub(crate) mod automatic;
pub(crate) mod contradictions;
pub(crate) mod following;
pub(crate) mod judged;
pub(crate) mod own_student;
pub(crate) mod promotion;
pub(crate) mod student_file;
pub(crate) mod training;
