//! The calls of a Matmul object.

use super::{limits, object};
use crate::{
    base::{
        fault::Raise,
        matmul::{MatmulOperand, MatmulOut, MatmulPlace, MatmulRole, MatmulSetting, MatmulTypes, TILING_WORDS},
        pipe::Pipe,
    },
    machine::{
        core::Core,
        matmul::{MatmulObject, OrgShape, Tiling},
        observe::{Product, Step},
        task_type::{AIC_ONLY, MIX_AIC_1_2, TaskType, no_cube},
    },
};

type Tilings = [i32; TILING_WORDS];

impl Core {
    /// REGIST_MATMUL_OBJ: the cube core of a block serves the objects of its vector cores, which call themselves here. True on
    /// that core: its kernel ends. `cube_only`: the objects run on the cube core itself.
    pub fn matmul_server(&mut self, cube_only: bool) -> Result<bool, Raise> {
        let task = self.launch.place.task;
        if task.cubes == 0 && !task.named {
            self.launch.start_anew(TaskType::implied(if cube_only { AIC_ONLY } else { MIX_AIC_1_2 }));
        }
        if task.cubes == 0 {
            return Err(no_cube("REGIST_MATMUL_OBJ", task));
        }
        Ok(self.is_cube() && !cube_only)
    }

    /// Init, with the number of an object or 0 for a new one.
    pub fn matmul_init(&mut self, id: u32, types: MatmulTypes, tiling: &Tilings) -> Result<u32, Raise> {
        let task = self.launch.place.task;
        if task.cubes == 0 && !task.named {
            self.launch.start_anew(TaskType::implied(if types.cube_only != 0 { AIC_ONLY } else { MIX_AIC_1_2 }));
        }
        if task.cubes == 0 {
            return Err(no_cube("Matmul::Init", task));
        }
        let t = Tiling::of(tiling);
        let size = |v: i32| v.max(0) as usize;
        let object = MatmulObject {
            types,
            tiling: t,
            org: OrgShape { m: size(t.m), n: size(t.n), ka: size(t.ka), kb: size(t.kb), kc: 0 },
            single: t.single.map(size),
            a: None,
            b: None,
            bias: None,
            quant: None,
            workspace: None,
            quant_scalar: None,
            hf32: None,
            is_first: true,
            done: 0,
            taken: None,
            l0c: None,
            awaited: false,
            has_begun: false,
            used: None,
            ends_itself: false,
        };
        if let Some(raise) = limits::tiling(&object) {
            self.observe(Step::Broken(&raise))?;
        }
        let objects = &mut self.matmuls.objects;
        match id.checked_sub(1).and_then(|i| objects.get_mut(i as usize)) {
            Some(place) => {
                *place = Some(Box::new(object));
                Ok(id)
            }
            None => {
                objects.push(Some(Box::new(object)));
                Ok(objects.len() as u32)
            }
        }
    }

    /// An object for the time of a call. One of a cube core does nothing on a vector core, and one whose operands are shared
    /// nothing on the second vector core of a block.
    fn matmul<T: Default>(
        &mut self,
        id: u32,
        call: &str,
        f: impl FnOnce(&mut Core, &mut MatmulObject) -> Result<T, Raise>,
    ) -> Result<T, Raise> {
        let at = id.wrapping_sub(1) as usize;
        let object = self.matmuls.objects.get_mut(at).and_then(Option::take);
        let Some(mut object) = object else { return Err(limits::no_object(call)) };
        let place = self.launch.place;
        let is_idle =
            object.types.cube_only != 0 && !place.is_cube() || object.types.is_shared != 0 && place.sub_block() != 0;
        let result = if is_idle { Ok(T::default()) } else { f(self, &mut object) };
        self.matmuls.objects[at] = Some(object);
        result
    }

    /// SetTensorA, SetTensorB, SetBias, SetQuantVector, SetWorkspace; a place of `None` takes the operand away.
    pub fn matmul_tensor(&mut self, id: u32, role: u32, at: MatmulOperand) -> Result<(), Raise> {
        let Some(role) = MatmulRole::from_code(role) else {
            return Err(Raise::unsupported(Pipe::S, &format!("operand {role} of Matmul")));
        };
        self.matmul(id, role.name(), |core, o| {
            let given = (at.place != MatmulPlace::None as u8).then_some(at);
            let kind = match role {
                MatmulRole::A => Some(("A", o.types.a)),
                MatmulRole::B => Some(("B", o.types.b)),
                MatmulRole::Bias => Some(("bias", o.types.bias)),
                _ => None,
            };
            if let (Some((name, kind)), Some(at)) = (kind, &given) {
                if let Some(raise) = limits::misplaced(role.name(), name, at, kind.position) {
                    return Err(raise);
                }
                if at.is_trans > kind.is_trans {
                    core.observe(Step::Broken(&limits::not_transposed(role.name(), name)))?;
                }
            }
            match role {
                MatmulRole::A => (o.a, o.is_first) = (given, true),
                MatmulRole::B => (o.b, o.is_first) = (given, true),
                MatmulRole::Bias => o.bias = given,
                MatmulRole::Quant => o.quant = given,
                MatmulRole::Workspace => o.workspace = given,
            }
            Ok(())
        })
    }

    /// Shapes and switches of an object. A negative size stays what it is.
    pub fn matmul_set(&mut self, id: u32, what: u32, values: &[i64; 5]) -> Result<(), Raise> {
        let Some(what) = MatmulSetting::from_code(what) else {
            return Err(Raise::unsupported(Pipe::S, &format!("setting {what} of Matmul")));
        };
        self.matmul(id, what.name(), |_, o| {
            let size = |v: i64| v.max(0) as usize;
            let [m, n, ka, kb, kc] = values.map(size);
            match what {
                MatmulSetting::OrgShape => o.org = OrgShape { m, n, ka, kb, kc },
                MatmulSetting::SingleShape => {
                    let given = o.single.iter_mut().zip(values).filter(|(_, v)| **v >= 0);
                    given.for_each(|(single, v)| *single = size(*v));
                }
                MatmulSetting::Hf32 => o.hf32 = (values[0] != 0).then_some(values[1] as u8),
                MatmulSetting::QuantScalar => o.quant_scalar = Some(values[0] as u64),
            }
            Ok(())
        })
    }

    /// Before an object multiplies.
    fn matmul_begins(&mut self, o: &mut MatmulObject, call: &str, ends_itself: bool) -> Result<(), Raise> {
        if o.a.is_none() || o.b.is_none() {
            return Err(limits::unset(o));
        }
        if self.observed() {
            let others = self.matmuls.objects.iter().flatten();
            let used = others.filter_map(|other| other.used.map(|site| (other.ends_itself, site)));
            if let Some((has_ended, site)) = used.min_by_key(|(has_ended, _)| *has_ended) {
                let raise = limits::not_ended(call, &site.at());
                self.observe(Step::Broken(&if has_ended { raise.rule() } else { raise }))?;
            }
            for raise in [limits::shape(o), limits::bias(o)].into_iter().flatten() {
                self.observe(Step::Broken(&raise))?;
            }
        }
        (o.used, o.ends_itself) = (Some(self.observation.site), ends_itself && !self.is_cube());
        Ok(())
    }

    /// Iterate: false when all blocks are done.
    pub fn matmul_iterate(&mut self, id: u32, partial: bool, sync: bool) -> Result<bool, Raise> {
        self.matmul(id, "Iterate", |core, o| {
            o.done = if o.is_first { 0 } else { o.done + 1 };
            if o.done >= o.blocks() {
                return Ok(false);
            }
            let first = std::mem::replace(&mut o.is_first, false);
            if first {
                core.matmul_begins(o, "Iterate", !sync)?;
                o.taken = None;
            }
            if !sync {
                return if first { core.matmul_keep(o).map(|()| true) } else { Ok(true) };
            }
            if let Some(raise) = limits::partial_sum(o).filter(|_| partial) {
                return Err(raise);
            }
            let block = o.block(o.done);
            let begin = o.l0c.take().filter(|_| partial).map(|(_, sums)| sums);
            let sums = object::multiply(core, o, block, begin)?;
            core.matmul_priced(o, [block.rows, block.columns])?;
            o.l0c = Some((block, sums));
            core.observe(Step::MatmulWaited)?;
            Ok(true)
        })
    }

    /// An asynchronous Iterate: all blocks go to the workspace, one after the other.
    fn matmul_keep(&mut self, o: &mut MatmulObject) -> Result<(), Raise> {
        if let Some(raise) = limits::workspace(o) {
            return Err(raise);
        }
        let how = MatmulOut { is_sequential: 1, ..MatmulOut::default() };
        for index in 0..o.blocks() {
            let (block, at) = (o.block(index), kept(o, index));
            let sums = object::multiply(self, o, block, None)?;
            object::write(self, o, (block, &sums), at, how)?;
        }
        o.taken = Some(0);
        self.matmul_priced(o, [o.single[0], o.single[1]])?;
        self.observe(Step::MatmulWaited)
    }

    /// GetTensorC.
    pub fn matmul_get(&mut self, id: u32, at: MatmulOperand, how: MatmulOut) -> Result<(), Raise> {
        self.matmul(id, "GetTensorC", |core, o| {
            if let Some(taken) = o.taken.filter(|taken| *taken < o.blocks()) {
                o.taken = Some(taken + 1);
                // The block is dense in the workspace: as one row of a matrix.
                let block = o.block(taken);
                let (from, there) = o.result(kept(o, taken), block, true);
                let bytes = from.load(core, there)?;
                let (to, there) = o.result(at, block, true);
                to.store(core, there, &bytes, None)?;
                return core.observe(Step::MatmulWaited);
            }
            if let Some(raise) = limits::no_buffer("GetTensorC", &at, o.types.c.position) {
                return Err(raise);
            }
            let Some((block, sums)) = o.l0c.take() else { return Err(limits::nothing_to_get()) };
            let written = object::write(core, o, (block, &sums), at, how);
            o.l0c = Some((block, sums));
            written?;
            core.observe(Step::MatmulWaited)
        })
    }

    /// GetTensorC without a tensor: where the next block of an asynchronous Iterate lies.
    pub fn matmul_next(&mut self, id: u32) -> Result<usize, Raise> {
        self.matmul(id, "GetTensorC", |_, o| {
            let Some(taken) = o.taken.filter(|taken| *taken < o.blocks()) else { return Err(limits::nothing_to_get()) };
            o.taken = Some(taken + 1);
            Ok(kept(o, taken).gm as usize)
        })
    }

    /// IterateAll.
    pub fn matmul_all(&mut self, id: u32, at: MatmulOperand, how: MatmulOut) -> Result<(), Raise> {
        self.matmul(id, "IterateAll", |core, o| {
            core.matmul_begins(o, "IterateAll", true)?;
            if let Some(raise) = limits::no_buffer("IterateAll", &at, o.types.c.position) {
                return Err(raise);
            }
            if let Some(raise) = limits::several_in_a_row(o).filter(|_| how.is_sequential != 0) {
                return Err(raise);
            }
            for index in 0..o.blocks() {
                let block = o.block(index);
                let sums = object::multiply(core, o, block, None)?;
                object::write(core, o, (block, &sums), at, how)?;
                if how.is_sync == 0 && how.is_awaited != 0 {
                    core.matmul_unfinished(o, at, index, how);
                }
            }
            core.matmul_priced(o, [o.single[0], o.single[1]])?;
            (o.is_first, o.awaited) = (true, how.is_sync == 0 && how.is_awaited != 0);
            core.observe(Step::MatmulWaited)
        })
    }

    /// Says what has been multiplied.
    fn matmul_priced(&mut self, o: &mut MatmulObject, [m, n]: [usize; 2]) -> Result<(), Raise> {
        let (k, out) = (o.single[2], o.types.c.dtype().size());
        let in_l1 = o.tiling.steps[3].max(1) as usize * o.base(2);
        let product = Product {
            dtype: o.types.a.dtype(),
            hf32: o.hf32.is_some(),
            size: [m, n, k].map(|v| v as u32),
            base: [0, 1, 2].map(|axis| o.base(axis) as u32),
            row: o.rows_to_l1(),
            is_first: !std::mem::replace(&mut o.has_begun, true),
            b_stays: in_l1 >= k,
            out: out as u32,
            share: if self.is_cube() { 1 } else { self.launch.place.task.vectors },
        };
        self.observe(Step::Product(product))
    }

    /// Notes where an asynchronous call writes.
    fn matmul_unfinished(&mut self, o: &MatmulObject, at: MatmulOperand, index: usize, how: MatmulOut) {
        let (matrix, to) = o.result(at, o.block(index), how.is_sequential != 0);
        let site = self.observation.site;
        let ranges = matrix.ranges(to).into_iter().map(|(from, end)| (from, end, site));
        self.matmuls.unfinished.extend(ranges);
    }

    /// WaitIterateAll.
    pub fn matmul_wait(&mut self, id: u32) -> Result<(), Raise> {
        self.matmul(id, "WaitIterateAll", |core, o| {
            if !std::mem::replace(&mut o.awaited, false) {
                return Err(limits::nothing_to_wait_for());
            }
            core.matmuls.unfinished.clear();
            Ok(())
        })
    }

    /// End.
    pub fn matmul_end(&mut self, id: u32) -> Result<(), Raise> {
        self.matmul(id, "End", |_, o| {
            (o.used, o.is_first, o.l0c) = (None, true, None);
            Ok(())
        })
    }
}

/// The place of a block in the workspace.
fn kept(o: &MatmulObject, index: usize) -> MatmulOperand {
    let mut at = o.workspace.unwrap_or(MatmulOperand::NOWHERE);
    at.gm = at.gm.wrapping_byte_add(index * o.base(0) * o.base(1) * o.types.c.dtype().size());
    at
}
