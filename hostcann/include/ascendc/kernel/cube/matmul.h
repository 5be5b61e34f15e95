// The Matmul object of the high-level library. What it computes is the core's; here are its types and calls.
#ifndef HOSTCANN_ASCENDC_KERNEL_CUBE_MATMUL_H
#define HOSTCANN_ASCENDC_KERNEL_CUBE_MATMUL_H

#include "ascendc/kernel/cube/matmul_config.h"
#include "kernel_tiling/kernel_tiling.h"

namespace AscendC {

template <TPosition Position, CubeFormat Format, typename Type, bool IsTrans = false,
          LayoutMode Layout = LayoutMode::NONE, bool IsShared = false, TPosition Source = TPosition::GM>
struct MatmulType {
    using T = Type;
    static constexpr TPosition pos = Position;
    static constexpr CubeFormat format = Format;
    static constexpr bool isTrans = IsTrans;
    static constexpr LayoutMode layout = Layout;
    static constexpr bool ibShare = IsShared;
    static constexpr TPosition srcPos = Source;
};

template <auto CopyOut = nullptr, auto CopyA1 = nullptr, auto CopyB1 = nullptr>
struct MatmulCallBackFunc {
    static constexpr bool HOSTCANN_IS_EMPTY = std::is_same<decltype(CopyOut), std::nullptr_t>::value &&
                                              std::is_same<decltype(CopyA1), std::nullptr_t>::value &&
                                              std::is_same<decltype(CopyB1), std::nullptr_t>::value;
};

// How blocks are scheduled. The first one is modelled.
template <const auto& config, typename... Types>
struct MatmulPolicy {};
template <const auto& config, typename... Types>
struct NBuffer33MatmulPolicy {};
template <const auto& config, typename... Types>
struct TrianUpperMatmulPolicy {};
template <const auto& config, typename... Types>
struct TrianLowerMatmulPolicy {};
namespace Impl {
namespace Detail {
using AscendC::MatmulPolicy;
using AscendC::NBuffer33MatmulPolicy;
using AscendC::TrianLowerMatmulPolicy;
using AscendC::TrianUpperMatmulPolicy;
} // namespace Detail
constexpr int32_t QUEUE_DEPTH = 1;
} // namespace Impl

// A queue in L1.
template <TPosition pos, int32_t depth = 1, auto mask = 0>
class TSCM {
    static_assert(depth < 0, "hostcann: TSCM lies in L1, which is not modelled");
};

// The type of sums in L0C.
template <typename T>
struct GetMmDstType {
    using Type = typename std::conditional<std::is_same<T, int8_t>::value || std::is_same<T, int4b_t>::value, int32_t,
                                           float>::type;
};
// 4:2 sparse matrices.
template <TPosition, TPosition, CubeFormat, typename Type, auto...>
struct SparseMatmulType {
    static_assert(!sizeof(Type), "hostcann: SparseMatmulType is not modelled");
};

namespace hostcann {

template <template <const auto&, typename...> class Policy>
struct IsFullPolicy : std::false_type {};
template <>
struct IsFullPolicy<MatmulPolicy> : std::true_type {};

template <typename Type>
constexpr aic_matmul_kind MatmulKind()
{
    return {static_cast<uint8_t>(Type::pos), static_cast<uint8_t>(Type::format), DtypeOf<typename Type::T>::VALUE,
            Type::isTrans};
}

template <typename... Types>
constexpr bool IsInL1 = ((Types::pos == TPosition::TSCM || Types::pos == TPosition::CO1) || ...);
template <typename... Types>
constexpr bool HasKnownFormat = ((Types::format == CubeFormat::ND || Types::format == CubeFormat::NZ ||
                                  Types::format == CubeFormat::ND_ALIGN || Types::format == CubeFormat::VECTOR ||
                                  Types::format == CubeFormat::SCALAR) &&
                                 ...);

// CubeOnly: it runs on the cube core itself, and does nothing on a vector core.
template <bool CubeOnly, typename A, typename B, typename C, typename Bias, const auto& CFG, typename CallBack,
          template <const auto&, typename...> class... Policy>
class MatmulObject {
    static constexpr const MatmulConfig& CONFIG = ConfigOf(CFG);
    static_assert(!IsInL1<A, B, C, Bias>,
                  "hostcann models the Matmul object without its L1 and L0: TSCM and CO1 are "
                  "not modelled, use GM, VECOUT or VECIN");
    static_assert(HasKnownFormat<A, B, C, Bias>, "hostcann: Matmul has ND, NZ, ND_ALIGN, VECTOR and SCALAR on A2");
    static_assert(CallBack::HOSTCANN_IS_EMPTY, "hostcann: MatmulCallBackFunc copies to L1, which is not modelled");
    static_assert((IsFullPolicy<Policy>::value && ...), "hostcann: this MatmulPolicy is not modelled");
    static_assert(!CONFIG.enableMixDualMaster, "hostcann: enableMixDualMaster of MatmulConfig is not modelled");
    static_assert(!CONFIG.isPartialOutput, "hostcann: isPartialOutput of MatmulConfig is not modelled");
    static_assert(!CONFIG.intraBlockPartSum, "hostcann: intraBlockPartSum of MatmulConfig is not modelled");
    static_assert(!CONFIG.enableRelu, "hostcann: enableRelu of MatmulConfig is not modelled");

public:
    using SrcAT = typename A::T;
    using SrcBT = typename B::T;
    using DstT = typename C::T;
    using BiasT = typename Bias::T;
    static constexpr bool HOSTCANN_CUBE_ONLY = CubeOnly;
    static constexpr bool HOSTCANN_IS_STATIC = std::is_same<std::decay_t<decltype(CFG)>, MatmulApiStaticTiling>::value;

    template <typename Tiling>
    HOSTCANN_API void Init(const Tiling* tiling, TPipe* = nullptr)
    {
        tiling::TCubeTiling words{};
        static_assert(sizeof(Tiling) == sizeof(words), "Matmul::Init: the tiling is a TCubeTiling");
        if (tiling != nullptr) {
            __builtin_memcpy(&words, tiling, sizeof(words));
        }
        if constexpr (HOSTCANN_IS_STATIC) {
#define HOSTCANN_STATIC_FIELD(type, name) \
    if (CFG.name != -1) {                 \
        words.name = CFG.name;            \
    }
            HOSTCANN_FIELDS_TCubeTiling(HOSTCANN_STATIC_FIELD)
#undef HOSTCANN_STATIC_FIELD
        }
        constexpr aic_matmul_types types = {MatmulKind<A>(),
                                            MatmulKind<B>(),
                                            MatmulKind<C>(),
                                            MatmulKind<Bias>(),
                                            CubeOnly,
                                            CONFIG.isEnableChannelSplit,
                                            static_cast<uint8_t>(CONFIG.iterateOrder),
                                            static_cast<uint8_t>(A::ibShare && B::ibShare)};
        id_ = aic_matmul_init(id_, &types, &words);
    }

    HOSTCANN_API void SetOrgShape(int orgM, int orgN, int orgK) { SetOrgShape(orgM, orgN, orgK, orgK); }
    HOSTCANN_API void SetOrgShape(int orgM, int orgN, int orgKa, int orgKb, int orgKc = 0)
    {
        Set(AIC_MATMUL_SET_ORG_SHAPE, orgM, orgN, orgKa, orgKb, orgKc);
    }
    HOSTCANN_API void SetSingleShape(int singleM, int singleN, int singleK)
    {
        Set(AIC_MATMUL_SET_SINGLE_SHAPE, singleM, singleN, singleK);
    }
    HOSTCANN_API void SetTail(int tailM = -1, int tailN = -1, int tailK = -1) { SetSingleShape(tailM, tailN, tailK); }
    HOSTCANN_API void SetHF32(bool enableHF32 = false, int32_t transMode = 0)
    {
        Set(AIC_MATMUL_SET_HF32, enableHF32, transMode);
    }

    HOSTCANN_API void SetTensorA(const GlobalTensor<SrcAT>& gm, bool isTransposeA = false)
    {
        SetTensor(AIC_MATMUL_ROLE_A, At(gm, isTransposeA));
    }
    HOSTCANN_API void SetTensorA(const LocalTensor<SrcAT>& leftMatrix, bool isTransposeA = false)
    {
        SetTensor(AIC_MATMUL_ROLE_A, At(leftMatrix, isTransposeA));
    }
    HOSTCANN_API void SetTensorA(SrcAT aScalar) { SetTensor(AIC_MATMUL_ROLE_A, At(aScalar)); }
    HOSTCANN_API void SetTensorB(const GlobalTensor<SrcBT>& gm, bool isTransposeB = false)
    {
        SetTensor(AIC_MATMUL_ROLE_B, At(gm, isTransposeB));
    }
    HOSTCANN_API void SetTensorB(const LocalTensor<SrcBT>& rightMatrix, bool isTransposeB = false)
    {
        SetTensor(AIC_MATMUL_ROLE_B, At(rightMatrix, isTransposeB));
    }
    HOSTCANN_API void SetTensorB(SrcBT bScalar) { SetTensor(AIC_MATMUL_ROLE_B, At(bScalar)); }
    HOSTCANN_API void SetBias(const GlobalTensor<BiasT>& biasGlobal)
    {
        SetTensor(AIC_MATMUL_ROLE_BIAS, At(biasGlobal));
    }
    HOSTCANN_API void SetBias(const LocalTensor<BiasT>& inputBias) { SetTensor(AIC_MATMUL_ROLE_BIAS, At(inputBias)); }
    HOSTCANN_API void ClearBias() { SetTensor(AIC_MATMUL_ROLE_BIAS, {}); }
    HOSTCANN_API void DisableBias() { ClearBias(); }
    HOSTCANN_API void SetQuantScalar(const uint64_t quantScalar)
    {
        Set(AIC_MATMUL_SET_QUANT_SCALAR, static_cast<int64_t>(quantScalar));
    }
    HOSTCANN_API void SetQuantVector(const GlobalTensor<uint64_t>& quantTensor)
    {
        SetTensor(AIC_MATMUL_ROLE_QUANT, At(quantTensor));
    }

    template <typename T>
    HOSTCANN_API void SetWorkspace(GlobalTensor<T>& addr)
    {
        SetWorkspace(addr.GetPhyAddr(), static_cast<int>(addr.GetSize()));
    }
    template <typename T>
    HOSTCANN_API void SetWorkspace(__gm__ const T* addr, int size)
    {
        aic_matmul_operand at = {};
        at.gm = const_cast<T*>(addr);
        at.bytes = ByteCount<T>(static_cast<uint64_t>(size));
        at.place = AIC_MATMUL_AT_GM;
        SetTensor(AIC_MATMUL_ROLE_WORKSPACE, at);
    }
    // Space and numbers that other chips and other configurations need.
    HOSTCANN_API void SetLocalWorkspace(const LocalTensor<uint8_t>&) {}
    HOSTCANN_API void SetSubBlockIdx(uint8_t) {}
    HOSTCANN_API uint8_t GetSubBlockIdx() { return static_cast<uint8_t>(AscendC::GetSubBlockIdx()); }
    template <typename T>
    HOSTCANN_API void SetSelfDefineData(const T)
    {
    }
    HOSTCANN_API void SetUserDefInfo(const uint64_t) {}

    template <bool sync = true>
    HOSTCANN_API bool Iterate(bool enPartialSum = false)
    {
        static_assert(CONFIG.scheduleType == ScheduleType::INNER_PRODUCT,
                      "hostcann: Iterate of ScheduleType::OUTER_PRODUCT is not modelled, IterateAll is");
        return aic_matmul_iterate(id_, enPartialSum, sync) != 0;
    }

    template <bool sync = true>
    HOSTCANN_API void IterateAll(const GlobalTensor<DstT>& gm, uint8_t enAtomic = 0, bool enSequentialWrite = false,
                                 bool waitIterateAll = false, bool fakeMsg = false)
    {
        if (fakeMsg) {
            return;
        }
        const aic_matmul_operand at = At(gm);
        const aic_matmul_out how = {enAtomic, enSequentialWrite, sync, waitIterateAll};
        aic_matmul_all(id_, &at, &how);
    }
    template <bool sync = true>
    HOSTCANN_API void IterateAll(const LocalTensor<DstT>& ubCmatrix, uint8_t enAtomic = 0)
    {
        const aic_matmul_operand at = At(ubCmatrix);
        const aic_matmul_out how = {enAtomic, 0, sync, 0};
        aic_matmul_all(id_, &at, &how);
    }
    HOSTCANN_API void WaitIterateAll() { aic_matmul_wait(id_); }

    template <bool sync = true>
    HOSTCANN_API void GetTensorC(const GlobalTensor<DstT>& gm, uint8_t enAtomic = 0, bool enSequentialWrite = false)
    {
        Get(At(gm), {enAtomic, enSequentialWrite, sync, 0});
    }
    template <bool sync = true, bool doPad = false>
    HOSTCANN_API void GetTensorC(const LocalTensor<DstT>& c, uint8_t enAtomic = 0, bool enSequentialWrite = false,
                                 uint32_t = 0, uint32_t = 0, uint32_t = 0, uint32_t = 0)
    {
        static_assert(!doPad, "hostcann: doPad of GetTensorC is not modelled");
        Get(At(c), {enAtomic, enSequentialWrite, sync, 0});
    }
    template <bool sync = true>
    HOSTCANN_API void GetTensorC(const GlobalTensor<DstT>& gm, const LocalTensor<DstT>& co2Local, uint8_t enAtomic = 0,
                                 bool enSequentialWrite = false)
    {
        GetTensorC<sync>(gm, enAtomic, enSequentialWrite);
        GetTensorC<sync>(co2Local, 0, enSequentialWrite);
    }
    // The next block of an asynchronous Iterate, in the workspace.
    template <bool sync = true>
    HOSTCANN_API GlobalTensor<DstT> GetTensorC(uint8_t = 0, bool = false)
    {
        GlobalTensor<DstT> block;
        block.SetGlobalBuffer(static_cast<DstT*>(aic_matmul_next(id_)));
        return block;
    }
    HOSTCANN_API void AsyncGetTensorC(const LocalTensor<DstT>& c) { GetTensorC<false>(c); }
    HOSTCANN_API void WaitGetTensorC() {}

    HOSTCANN_API void End() { aic_matmul_end(id_); }

    // Not modelled: a call does not compile, and says why.
#define HOSTCANN_NO_CALL(name)                                                                   \
    template <auto... Values, typename... Arguments>                                             \
    HOSTCANN_API GlobalTensor<DstT> name(const Arguments&...)                                    \
    {                                                                                            \
        static_assert(sizeof...(Arguments) > 99, "hostcann: Matmul::" #name " is not modelled"); \
        return {};                                                                               \
    }
    HOSTCANN_NO_CALL(IterateBatch)
    HOSTCANN_NO_CALL(IterateNBatch)
    HOSTCANN_NO_CALL(WaitIterateBatch)
    HOSTCANN_NO_CALL(GetBatchTensorC)
    HOSTCANN_NO_CALL(GetBatchC)
    HOSTCANN_NO_CALL(SetBatchNum)
    HOSTCANN_NO_CALL(GetOffsetC)
    HOSTCANN_NO_CALL(SetAntiQuantScalar)
    HOSTCANN_NO_CALL(SetAntiQuantVector)
    HOSTCANN_NO_CALL(SetSparseIndex)
#undef HOSTCANN_NO_CALL

private:
    template <typename T>
    HOSTCANN_API static aic_matmul_operand At(const GlobalTensor<T>& gm, bool isTranspose = false)
    {
        aic_matmul_operand at = {};
        at.gm = const_cast<T*>(gm.GetPhyAddr());
        at.place = AIC_MATMUL_AT_GM;
        at.is_trans = isTranspose;
        return at;
    }
    template <typename T>
    HOSTCANN_API static aic_matmul_operand At(const LocalTensor<T>& tensor, bool isTranspose = false)
    {
        aic_matmul_operand at = {};
        at.ub = Access::Operand(tensor);
        at.place = AIC_MATMUL_AT_UB;
        at.is_trans = isTranspose;
        return at;
    }
    template <typename T>
    HOSTCANN_API static aic_matmul_operand At(T scalar)
    {
        aic_matmul_operand at = {};
        __builtin_memcpy(&at.scalar, &scalar, sizeof(T));
        at.place = AIC_MATMUL_AT_SCALAR;
        return at;
    }
    HOSTCANN_API void SetTensor(uint32_t role, const aic_matmul_operand& at) { aic_matmul_tensor(id_, role, &at); }
    HOSTCANN_API void Set(uint32_t what, int64_t v0, int64_t v1 = 0, int64_t v2 = 0, int64_t v3 = 0, int64_t v4 = 0)
    {
        const int64_t values[] = {v0, v1, v2, v3, v4};
        aic_matmul_set(id_, what, values);
    }
    HOSTCANN_API void Get(const aic_matmul_operand& at, const aic_matmul_out& how) { aic_matmul_get(id_, &at, &how); }

    uint32_t id_ = 0;
};

HOSTCANN_API void InitMatmuls() {}
template <typename Object>
HOSTCANN_API void InitMatmuls(Object&)
{
}
template <typename Object, typename Tiling, typename... Rest>
HOSTCANN_API void InitMatmuls(Object& object, Tiling* tiling, Rest&&... rest)
{
    if (tiling != nullptr || Object::HOSTCANN_IS_STATIC) {
        object.Init(tiling);
    }
    InitMatmuls(rest...);
}
template <typename Object, typename... Rest>
HOSTCANN_API void InitMatmuls(Object& object, std::nullptr_t, Rest&&... rest)
{
    InitMatmuls(object, static_cast<const tiling::TCubeTiling*>(nullptr), rest...);
}

// True on a cube core that serves vector cores: its kernel ends here.
template <typename Pipe, typename Workspace, typename Object, typename... Rest>
HOSTCANN_API bool RegistMatmul(Pipe, Workspace, Object& object, Rest&&... rest)
{
    if (aic_matmul_server(Object::HOSTCANN_CUBE_ONLY) != 0) {
        return true;
    }
    InitMatmuls(object, rest...);
    return false;
}

#ifdef ASCENDC_CUBE_ONLY
constexpr bool MATMUL_IS_CUBE_ONLY = true;
#else
constexpr bool MATMUL_IS_CUBE_ONLY = false;
#endif

} // namespace hostcann

// The policies of a Matmul, if it has any, are templates themselves.
#define HOSTCANN_MATMUL(name, cubeOnly)                                                                      \
    template <typename A, typename B, typename C, typename Bias = C, const auto& CFG = CFG_NORM,             \
              typename CallBack = MatmulCallBackFunc<>, template <const auto&, typename...> class... Policy> \
    class name : public hostcann::MatmulObject<cubeOnly, A, B, C, Bias, CFG, CallBack, Policy...> {};
HOSTCANN_MATMUL(Matmul, hostcann::MATMUL_IS_CUBE_ONLY)
HOSTCANN_MATMUL(MatmulImpl, true)
#undef HOSTCANN_MATMUL

} // namespace AscendC

namespace matmul = AscendC;

#ifdef ASCENDC_CUBE_ONLY
#define REGIST_MATMUL_OBJ(...) static_cast<void>(AscendC::hostcann::RegistMatmul(__VA_ARGS__))
#else
#define REGIST_MATMUL_OBJ(...)                              \
    do {                                                    \
        if (AscendC::hostcann::RegistMatmul(__VA_ARGS__)) { \
            return;                                         \
        }                                                   \
    } while (0)
#endif
#define REGIST_MATMUL_OBJ_STATIC REGIST_MATMUL_OBJ

#endif // HOSTCANN_ASCENDC_KERNEL_CUBE_MATMUL_H
