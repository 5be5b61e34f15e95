//! Blocks that were not run, extrapolated from those that were; all must be alike.

use super::program::{Block, Program};

/// Whether a sampled launch records a block. The first two give the step of addresses, the middle one and the one before the
/// last confirm it, and the last one may have less to do.
pub(super) fn is_recorded(index: u32, blocks: u32) -> bool {
    blocks <= 6 || index < 2 || index == blocks / 2 || index + 2 >= blocks
}

/// Adds the blocks that were not recorded. An error says why the model cannot know them.
pub(super) fn add_missing(program: &mut Program, blocks: u32) -> Result<(), String> {
    if program.blocks.len() as u32 == blocks {
        return Ok(());
    }
    let [first, second, middle, fore, last] = &program.blocks[..] else {
        return Err(format!("{} of {blocks} blocks were recorded", program.blocks.len()));
    };
    let differs = |block: &Block| {
        let predicted = block_at(first, second, u64::from(block.index));
        predicted.is_none_or(|b| b.places != block.places || b.ops != block.ops)
    };
    if differs(middle) || differs(fore) {
        return Err("its blocks are not alike: simulate all of them".to_owned());
    }
    let all = (0..blocks).map(|i| {
        if i + 1 == blocks {
            return Some(last.clone());
        }
        block_at(first, second, u64::from(i))
    });
    program.blocks = all.collect::<Option<_>>().ok_or("its blocks are not alike: simulate all of them")?;
    Ok(())
}

/// Block `i`, with addresses `i` times as far from the first block's as the second's are.
fn block_at(first: &Block, second: &Block, i: u64) -> Option<Block> {
    if first.ops != second.ops || first.places.len() != second.places.len() {
        return None;
    }
    let places = first.places.iter().zip(&second.places).map(|(a, b)| {
        let step = b.offset.checked_sub(a.offset).filter(|_| a.region == b.region)?;
        Some(super::program::GmAddress { region: a.region, offset: a.offset + step * i })
    });
    let places = places.collect::<Option<Vec<_>>>()?;
    Some(Block {
        index: i as u32,
        ops: first.ops.clone(),
        places,
        buffers: first.buffers.clone(),
        bypass: first.bypass,
        tiling: first.tiling,
    })
}
