//! How large a tile is, and how many cores share the tiles: solved here, and the same as C++ for the operator's host side.

/// The next multiple of as many elements: 64 bytes of the smallest type, two full repeats of float.
pub const TILE_STEP: i64 = 64;

/// What the machine has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Vector cores of the chip.
    pub cores: i64,
    /// Of them, how many a launch may have; 0 for no limit (`ResLimit::aiv_num`).
    pub aiv_num: i64,
    pub ub_size: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tiling {
    pub block_dim: i64,
    /// Elements of a tile.
    pub tile: i64,
    /// Tiles of a row, of a core, of all.
    pub row_tiles: i64,
    pub core_tiles: i64,
    pub tiles: i64,
}

/// Rows of `row` elements, and `rows` of them. `bytes` of unified buffer for each element of a tile.
pub fn solve(rows: i64, row: i64, bytes: i64, limits: Limits) -> Result<Tiling, String> {
    if rows < 0 || row < 0 || rows.checked_mul(row).is_none_or(|all| all > MOST_ELEMENTS) {
        return Err(format!("{rows} rows of {row} elements are not between 0 and 2^48"));
    }
    let cores = if limits.aiv_num > 0 { limits.cores.min(limits.aiv_num) } else { limits.cores };
    if cores < 1 || bytes < 1 {
        return Err(format!("{cores} cores, {bytes} bytes for an element"));
    }
    let largest = limits.ub_size / bytes / TILE_STEP * TILE_STEP;
    if largest < TILE_STEP {
        return Err(format!("{TILE_STEP} elements of {bytes} bytes do not fit into {} bytes", limits.ub_size));
    }
    let cores_per_row = ceil(cores, rows.max(1));
    let part = ceil(ceil(row, cores_per_row), TILE_STEP) * TILE_STEP;
    let tile = part.max(TILE_STEP).min(largest);
    let row_tiles = ceil(row, tile);
    let tiles = rows * row_tiles;
    let core_tiles = ceil(tiles, cores).max(1);
    let block_dim = ceil(tiles, core_tiles).max(1);
    Ok(Tiling { block_dim, tile, row_tiles, core_tiles, tiles })
}

/// Beyond this nothing is launched; it keeps every product in 64 bits.
pub const MOST_ELEMENTS: i64 = 1 << 48;

fn ceil(a: i64, b: i64) -> i64 {
    a / b + i64::from(a % b != 0)
}

/// The same as C++: `SolveTiling` in a namespace of the operator.
pub const SOLVE_CPP: &str = r#"constexpr int64_t TILE_STEP = 64;
constexpr int64_t MOST_ELEMENTS = 1LL << 48;

struct Tiling {
    int64_t blockDim;
    int64_t tile;
    int64_t rowTiles;
    int64_t coreTiles;
    int64_t tiles;
};

inline int64_t CeilDiv(int64_t a, int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

// Rows of `row` elements that take `bytes` of UB each; false where the shape or the machine allows no tiling.
inline bool SolveTiling(int64_t rows, int64_t row, int64_t bytes, int64_t cores, int64_t aivNum, int64_t ubSize,
                        Tiling& tiling)
{
    if (rows < 0 || row < 0 || (row != 0 && rows > MOST_ELEMENTS / row)) {
        return false;
    }
    if (aivNum > 0 && aivNum < cores) {
        cores = aivNum;
    }
    if (cores < 1 || bytes < 1) {
        return false;
    }
    const int64_t largest = ubSize / bytes / TILE_STEP * TILE_STEP;
    if (largest < TILE_STEP) {
        return false;
    }
    const int64_t coresPerRow = CeilDiv(cores, rows > 1 ? rows : 1);
    const int64_t part = CeilDiv(CeilDiv(row, coresPerRow), TILE_STEP) * TILE_STEP;
    const int64_t wanted = part > TILE_STEP ? part : TILE_STEP;
    tiling.tile = wanted < largest ? wanted : largest;
    tiling.rowTiles = CeilDiv(row, tiling.tile);
    tiling.tiles = rows * tiling.rowTiles;
    const int64_t share = CeilDiv(tiling.tiles, cores);
    tiling.coreTiles = share > 1 ? share : 1;
    const int64_t blocks = CeilDiv(tiling.tiles, tiling.coreTiles);
    tiling.blockDim = blocks > 1 ? blocks : 1;
    return true;
}
"#;
