//! How large a tile is, and how many cores share the tiles: solved here, and in `cpp/solve.h` for the operator's host side.

use crate::plural::number;
use crate::value::MOST_SEGMENTS;
pub use crate::value::segment;

/// Elements that a tile is a multiple of: 64 bytes of the smallest type, a full repeat of float.
pub const TILE_STEP: i64 = 64;

/// The same where masks are computed: a full repeat of half, which Compare wants.
pub const MASK_STEP: i64 = 128;

/// Elements that a tile of one element for each row is a multiple of.
pub const NARROW_STEP: i64 = 128;

/// Rows that one DataCopyPad copies.
pub const MOST_ROWS: i64 = 4095;

/// Rows of partial results where columns are reduced: pieces are a multiple of them.
pub const LEAST_ROWS: i64 = crate::value::ROW_LANES as i64;

/// Bytes for the lanes of all segments of a row, which a core has once more where a row is split.
pub const KEPT_BYTES: i64 = MOST_SEGMENTS * 256;

/// What the machine has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Vector cores of the chip.
    pub cores: i64,
    /// Of them, how many a launch may have; 0 for no limit (`ResLimit::aiv_num`).
    pub aiv_num: i64,
    pub ub_size: i64,
}

impl Limits {
    /// Vector cores that a launch may have.
    pub fn used(self) -> i64 {
        if self.aiv_num > 0 { self.cores.min(self.aiv_num) } else { self.cores }
    }
}

/// How a kernel cuts its loops: what it takes of the unified buffer, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Demand {
    /// Rows lie whole in a tile (case Y0), or pass in pieces (case P); else a tile is a part of one row.
    pub whole_rows: bool,
    /// A tile goes by in pieces: one row (case P), or rows of some columns (case C).
    pub pieces: bool,
    pub columns: bool,
    /// For each element of a tile, for each of its rows, for each element of one row.
    pub wide: i64,
    pub narrow: i64,
    pub once: i64,
    /// Lanes that reductions add up in, for each row.
    pub lanes: bool,
    pub fixed: i64,
    /// Reductions of a pass of rows that cores may share; 0 where they may not.
    pub sums: i64,
    /// Elements that a tile is a multiple of, and a row in it.
    pub step: i64,
    pub align: i64,
    /// Of `wide`, tiles of one row for all: of a tile of one row they are that row.
    pub repeated: i64,
}

/// A demand for some sizes: `rows` times `row` units of `unit` bytes, in tiles of a multiple of `step` and at most `most`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Need {
    pub rows: i64,
    pub row: i64,
    pub unit: i64,
    pub fixed: i64,
    pub step: i64,
    pub most: i64,
    /// Elements from one row of a tile to the next; 0 where a tile is a part of a row.
    pub stride: i64,
    /// Each row is a tile of its own, and its pieces are a multiple of `step` and at most `most` elements.
    pub pieces: bool,
    /// Tiles have columns, whose rows go by in pieces.
    pub columns: Option<Columns>,
    /// Of rows in pieces: their elements, and [`Demand::sums`].
    pub length: i64,
    pub sums: i64,
    /// Bytes that a tile of one row has less.
    pub spare: i64,
}

/// Rows that are reduced, and bytes for each element of a piece, each of its rows, each column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Columns {
    pub height: i64,
    pub wide: i64,
    pub narrow: i64,
    pub once: i64,
    /// A tile that is not the whole row is a multiple of so many elements.
    pub part: i64,
}

/// `rows` times `row` units along the axis that is cut; with whole rows each unit is a row of `columns` elements. Where
/// columns are reduced, `columns` are the rows of each.
///
/// # Errors
///
/// A number is negative, there are more than 2^48 elements, or whole rows of 0 elements are to be reduced or repeated.
pub fn need(demand: &Demand, rows: i64, row: i64, columns: i64) -> Result<Need, String> {
    let columns = if demand.whole_rows { columns } else { 1 };
    let all = rows.checked_mul(row).and_then(|all| all.checked_mul(columns.max(1)));
    if rows < 0 || row < 0 || columns < 0 || all.is_none_or(|all| all > MOST_ELEMENTS) || columns > MOST_ELEMENTS {
        let what = if demand.whole_rows { format!(" of {columns}") } else { String::new() };
        return Err(format!("{} of {}{what} are not between 0 and 2^48", number(rows, "row"), number(row, "element")));
    }
    if !demand.whole_rows {
        let Demand { wide, fixed, step, .. } = *demand;
        return Ok(Need { rows, row, unit: wide, fixed, step, most: MOST_ELEMENTS, ..Need::default() });
    }
    if columns == 0 && demand.lanes {
        return Err("rows of 0 elements have no maximum and no mean".to_owned());
    }
    let up = |n: i64, to: i64| ceil(n, to) * to;
    if demand.columns {
        let Demand { wide, narrow, once, fixed, step, align, .. } = *demand;
        let least = columns.clamp(1, LEAST_ROWS);
        return Ok(Need {
            rows: if columns == 0 { 0 } else { rows },
            row,
            unit: wide * least + once,
            fixed: fixed + (wide + once) * (step - 1) + narrow * (NARROW_STEP - 1 + least),
            step: align,
            most: up(row.max(1), align),
            stride: 0,
            pieces: true,
            columns: Some(Columns { height: columns, wide, narrow, once, part: step }),
            ..Need::default()
        });
    }
    if demand.pieces {
        let Demand { wide, narrow, once, fixed, sums, step, .. } = *demand;
        return Ok(Need {
            rows,
            row: if columns == 0 { 0 } else { row },
            unit: wide + once,
            fixed: fixed + narrow * NARROW_STEP,
            step,
            most: up(columns.max(1), step),
            stride: 0,
            pieces: true,
            length: columns.max(1),
            sums,
            ..Need::default()
        });
    }
    let stride = up(columns.max(1), demand.align);
    let lanes = if demand.lanes { (4 * stride).min(256) } else { 0 };
    let slack = demand.wide * (demand.step - 1)
        + demand.narrow * (NARROW_STEP - 1)
        + demand.once * up(stride, demand.step)
        + if demand.lanes { 256 } else { 0 };
    Ok(Need {
        rows,
        // Nothing is computed of rows without elements.
        row: if columns == 0 { 0 } else { row },
        unit: demand.wide * stride + demand.narrow + lanes,
        fixed: demand.fixed + slack,
        step: 1,
        most: MOST_ROWS,
        stride,
        spare: demand.repeated * stride,
        ..Need::default()
    })
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tiling {
    pub block_dim: i64,
    /// Units of a tile: elements, or whole rows.
    pub tile: i64,
    /// Tiles along the axis that is cut, of a core, of all.
    pub row_tiles: i64,
    pub core_tiles: i64,
    pub tiles: i64,
    /// As in [`Need`]; of rows in pieces the elements of a piece, of columns in pieces its rows.
    pub stride: i64,
    /// Cores that share a row in pieces, each some of its segments.
    pub parts: i64,
}

/// The largest tile that fits.
pub fn largest(need: &Need, limits: Limits) -> i64 {
    let room = limits.ub_size - need.fixed;
    let fits = (room / need.unit).min(need.most) / need.step * need.step;
    if fits < 1 && need.spare > 0 && room + need.spare >= need.unit { 1 } else { fits }
}

/// Tiles of this size on these cores, in equal shares.
pub fn spread(need: &Need, tile: i64, cores: i64) -> Tiling {
    let row_tiles = ceil(need.row, tile);
    let tiles = need.rows * row_tiles;
    let core_tiles = ceil(tiles, cores).max(1);
    let block_dim = ceil(tiles, core_tiles).max(1);
    Tiling { block_dim, tile, row_tiles, core_tiles, tiles, stride: need.stride, parts: 1 }
}

/// The largest tile that fits, and smaller where cores would be idle.
///
/// # Errors
///
/// `limits` has no core, a unit of a tile has no bytes, or the smallest tile does not fit into the unified buffer.
pub fn solve(need: &Need, limits: Limits) -> Result<Tiling, String> {
    let Need { rows, row, unit, fixed, step, stride, pieces, columns, .. } = *need;
    let cores = limits.used();
    if cores < 1 || unit < 1 {
        return Err(format!("{}, {} for a unit of a tile", number(cores, "core"), number(unit, "byte")));
    }
    let largest = largest(need, limits);
    if largest < step {
        let what = if stride > 0 { format!("a row of {}", number(stride, "element")) } else { number(step, "element") };
        let bytes = step * unit + fixed - need.spare;
        return Err(format!("{what}: {bytes} bytes do not fit into {}", limits.ub_size));
    }
    if let Some(columns) = columns {
        return Ok(of_columns(need, columns, limits));
    }
    if pieces {
        return split(need, limits, 1).ok_or_else(|| "no piece of a row fits".to_owned());
    }
    let cores_per_row = ceil(cores, rows.max(1));
    let part = ceil(ceil(row, cores_per_row), step) * step;
    Ok(spread(need, part.max(step).min(largest), cores))
}

/// As many columns as give every core some, and as many of their rows at a time as fit then.
fn of_columns(need: &Need, columns: Columns, limits: Limits) -> Tiling {
    let Columns { height, wide, narrow, once, part } = columns;
    let (cores, largest) = (limits.used(), largest(need, limits));
    let up = |n: i64, to: i64| ceil(n, to) * to;
    let share = up(ceil(need.row.max(1), ceil(cores, need.rows.max(1))), part).min(need.most);
    // Less than a part is a whole row, or all that fits.
    let fits = if largest < part { largest } else { largest / part * part };
    let tile = if largest >= need.most { share } else { share.min(fits) };
    let tiling = spread(need, tile, cores);
    if height <= LEAST_ROWS {
        return Tiling { stride: height.max(1), ..tiling };
    }
    let room = limits.ub_size - need.fixed + narrow * LEAST_ROWS - once * tile;
    let most = (room / (wide * tile + narrow)).min(MOST_ROWS) / LEAST_ROWS * LEAST_ROWS;
    // Pieces of one height, but for the last.
    let most = most.max(LEAST_ROWS);
    Tiling { stride: up(ceil(height, ceil(height, most)), LEAST_ROWS), ..tiling }
}

/// Rows in pieces of one length, but for the last, each shared by as many cores or fewer; `None` where there is no such
/// tiling. Cores that share a row wait for each other: each has one part.
pub fn split(need: &Need, limits: Limits, parts: i64) -> Option<Tiling> {
    let Need { rows, row, unit, fixed, step, length, sums, .. } = *need;
    let segment = segment(length);
    let share = ceil(ceil(length, segment), parts);
    let parts = ceil(ceil(length, segment), share);
    let most = need.most.min(ceil(share * segment, step) * step);
    let kept = if parts > 1 { KEPT_BYTES } else { 0 };
    let largest = ((limits.ub_size - fixed - kept) / unit).min(most) / step * step;
    if largest < step || parts > 1 && (sums < 1 || sums * share > MOST_SEGMENTS || rows * row * parts > limits.used()) {
        return None;
    }
    let stride = ceil(ceil(most, ceil(most, largest)), step) * step;
    let tiling = Tiling { tile: 1, row_tiles: row, stride, parts, ..Tiling::default() };
    Some(shared(limits.used(), rows * row * parts, tiling))
}

/// Tiles in equal shares.
fn shared(cores: i64, tiles: i64, tiling: Tiling) -> Tiling {
    let core_tiles = ceil(tiles, cores).max(1);
    Tiling { block_dim: ceil(tiles, core_tiles).max(1), core_tiles, tiles, ..tiling }
}

/// Beyond this nothing is launched; it keeps every product in 64 bits.
pub const MOST_ELEMENTS: i64 = 1 << 48;

pub fn ceil(a: i64, b: i64) -> i64 {
    a / b + i64::from(a % b != 0)
}
