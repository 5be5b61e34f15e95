//! What `bench` measures: rows, the processes beside each other, the table.

pub mod row;
pub mod side;
pub mod table;
