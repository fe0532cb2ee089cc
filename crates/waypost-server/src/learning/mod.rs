//! What a running program does about its students: trains challengers, promotes them where the
//! configuration wants it, and takes up what was promoted. Whether one may serve is decided in
//! `waypost_learning::promotion`.

pub(crate) mod automatic;
pub(crate) mod following;
pub(crate) mod own_student;
pub(crate) mod promotion;
pub(crate) mod student_file;
pub(crate) mod training;
