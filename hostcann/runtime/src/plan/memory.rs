//! What operands use of a plan's storages, and placing workspace storages: those whose lifetimes do not meet share memory.

/// A present operand; absent ones are None.
#[derive(Clone, Copy, Debug)]
pub struct Operand {
    pub storage: u32,
    pub offset: u64,
    pub bytes: u64,
    /// As `HcOperand::view`.
    pub view: u32,
}

/// Every buffer is given 32 bytes of slack and starts at a multiple of 512, as the executor of the toolkit does.
pub fn padded(bytes: u64) -> Option<u64> {
    bytes.checked_add(32 + 511).map(|n| n / 512 * 512)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// Padded size.
    pub size: u64,
    /// First and last node that uses it.
    pub first: usize,
    pub last: usize,
}

/// Offset of each workspace storage that is used, and the size of all.
pub struct Layout {
    pub offsets: Vec<Option<u64>>,
    pub total: u64,
}

/// Offset of each buffer, and the total size. Largest first, each at the lowest offset that is free over its life.
pub fn pack(buffers: &[Buffer]) -> (Vec<u64>, u64) {
    let mut order: Vec<usize> = (0..buffers.len()).collect();
    order.sort_by_key(|&i| (std::cmp::Reverse(buffers[i].size), i));
    let mut offsets = vec![0; buffers.len()];
    let mut placed: Vec<usize> = Vec::new();
    let mut total = 0;
    for i in order {
        let mine = buffers[i];
        let mut busy: Vec<(u64, u64)> = placed
            .iter()
            .filter(|&&j| buffers[j].first <= mine.last && mine.first <= buffers[j].last)
            .map(|&j| (offsets[j], offsets[j] + buffers[j].size))
            .collect();
        busy.sort_unstable();
        let mut offset = 0;
        for (start, end) in busy {
            if offset + mine.size <= start {
                break;
            }
            offset = offset.max(end);
        }
        offsets[i] = offset;
        total = total.max(offset + mine.size);
        placed.push(i);
    }
    (offsets, total)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffers(list: &[(u64, usize, usize)]) -> Vec<Buffer> {
        list.iter().map(|&(size, first, last)| Buffer { size, first, last }).collect()
    }

    #[test]
    fn padding() {
        for (bytes, want) in [(0, 512), (1, 512), (480, 512), (481, 1024), (512, 1024), (16 << 20, (16 << 20) + 512)] {
            assert_eq!(padded(bytes), Some(want), "{bytes}");
        }
        assert_eq!(padded(u64::MAX), None);
    }

    #[test]
    fn goldens() {
        assert_eq!(pack(&[]), (vec![], 0));
        // A chain a -> b -> c: a and c share.
        assert_eq!(pack(&buffers(&[(1024, 0, 1), (512, 1, 2), (1024, 2, 3)])), (vec![0, 1024, 0], 1536));
        // All alive at once.
        assert_eq!(pack(&buffers(&[(512, 0, 2), (1024, 1, 1), (512, 1, 3)])), (vec![1024, 0, 1536], 2048));
        // A gap below a placed buffer is used.
        assert_eq!(pack(&buffers(&[(4096, 0, 0), (1024, 0, 3), (2048, 1, 3)])), (vec![0, 4096, 0], 5120));
    }

    #[test]
    fn buffers_alive_together_never_overlap() {
        let mut seed = 12345u64;
        let mut next = |n: u64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) % n
        };
        for _ in 0..200 {
            let list: Vec<Buffer> = (0..12)
                .map(|_| {
                    let first = next(10) as usize;
                    Buffer { size: (1 + next(8)) * 512, first, last: first + next(4) as usize }
                })
                .collect();
            let (offsets, total) = pack(&list);
            for i in 0..list.len() {
                assert!(offsets[i] % 512 == 0 && offsets[i] + list[i].size <= total);
                for j in 0..i {
                    let meet = list[i].first <= list[j].last && list[j].first <= list[i].last;
                    let apart = offsets[i] + list[i].size <= offsets[j] || offsets[j] + list[j].size <= offsets[i];
                    assert!(!meet || apart, "{list:?} {offsets:?}");
                }
            }
            let sum: u64 = list.iter().map(|b| b.size).sum();
            assert!(total <= sum);
        }
    }
}
