// x - trunc(x / y) * y the two ways that operators without a tuned kernel compute it. The results are those of the
// built-in operator; that fmod has them too is not this program's to prove.
#ifndef FMOD_CHAINS_CHAIN_H
#define FMOD_CHAINS_CHAIN_H

#include "kernel_operator.h"
#include "shape.h"

enum class Chain {
    TBE,   // eight instructions in float: Div, Max, Min, Floor, Ceil, Add, Mul, Sub
    PLAIN, // four: Div, Cast TRUNC, Mul, Sub
};

// Types that are computed in float, by way of half where the device has no direct cast.
template <typename T>
struct Wide {
    static constexpr bool IS_FLOAT = AscendC::IsSameType<T, float>::value;
    static constexpr bool BY_HALF = sizeof(T) == 1;
};

struct Plan {
    Shape shape;
    Cut cut;
    float value; // of a VALUE operand
};

template <typename T, Chain CHAIN>
class Modulo {
public:
    __aicore__ inline Modulo(AscendC::TPipe& pipe, __gm__ T* x, __gm__ T* y, __gm__ T* z, const Plan& plan)
        : shape_(plan.shape), cut_(plan.cut)
    {
        x_.SetGlobalBuffer(x);
        y_.SetGlobalBuffer(y);
        z_.SetGlobalBuffer(z);
        tileElements_ = static_cast<uint32_t>(shape_.flat ? cut_.tile : cut_.tile * shape_.columns);
        const uint32_t bytes = Padded(tileElements_ * sizeof(T));
        const uint32_t wide = Padded(tileElements_ * sizeof(float));
        const uint8_t buffers = static_cast<uint8_t>(cut_.Buffers());
        // One behind the other, as they come: equal sizes put them into the same bank groups.
        pipe.InitBuffer(xQueue_, buffers, shape_.x == Form::TILE ? bytes : Padded(Short(shape_.x) * sizeof(T)));
        if (shape_.y != Form::VALUE) {
            pipe.InitBuffer(yQueue_, buffers, shape_.y == Form::TILE ? bytes : Padded(Short(shape_.y) * sizeof(T)));
        }
        pipe.InitBuffer(zQueue_, buffers, bytes);
        pipe.InitBuffer(quotient_, wide);
        if constexpr (CHAIN == Chain::TBE) {
            pipe.InitBuffer(bound_, wide);
            pipe.InitBuffer(zero_, wide);
            Duplicate(zero_.Get<float>(), 0.0f, static_cast<int32_t>(tileElements_));
        }
        if (!Wide<T>::IS_FLOAT || shape_.x != Form::TILE) {
            pipe.InitBuffer(wideX_, wide);
        }
        if (!Wide<T>::IS_FLOAT || shape_.y != Form::TILE) {
            pipe.InitBuffer(wideY_, wide);
        }
        if constexpr (Wide<T>::BY_HALF) {
            pipe.InitBuffer(half_, Padded(tileElements_ * sizeof(half)));
        }
        if (shape_.x > Form::TILE || shape_.y == Form::ROW || shape_.y == Form::COLUMN) {
            pipe.InitBuffer(blocks_, Padded(8 * 32 * (1 + cut_.tile / 8) + shape_.columns * sizeof(float)));
        }
        if (shape_.y == Form::VALUE) { // once, not for every tile: the better of what TBE may do
            Duplicate(wideY_.Get<float>(), plan.value, static_cast<int32_t>(tileElements_));
        }
    }

    __aicore__ inline void Run()
    {
        const int64_t total = shape_.flat ? shape_.rows * shape_.columns : shape_.rows;
        const int64_t begin = AscendC::GetBlockIdx() * cut_.block;
        const int64_t end = begin + cut_.block < total ? begin + cut_.block : total;
        int64_t size = 0;
        for (int64_t at = begin; at < end; at += size) {
            size = end - at < cut_.tile ? end - at : cut_.tile;
            if (shape_.x == Form::ROW || shape_.y == Form::ROW) { // of one row of it
                const int64_t left = shape_.group - at % shape_.group;
                size = size < left ? size : left;
            }
            Tile(at, size);
        }
    }

private:
    template <typename U>
    using Local = AscendC::LocalTensor<U>;

    __aicore__ inline static uint32_t Padded(uint32_t bytes) { return (bytes + 31) / 32 * 32; }

    // Elements of an operand that is broadcast, for one tile.
    __aicore__ inline uint32_t Short(Form form) const
    {
        return static_cast<uint32_t>(form == Form::ROW ? shape_.columns : cut_.tile);
    }

    __aicore__ inline void Tile(int64_t at, int64_t size)
    {
        const uint32_t count = static_cast<uint32_t>(shape_.flat ? size : size * shape_.columns);
        const int64_t first = shape_.flat ? at : at * shape_.columns;
        CopyIn(xQueue_, x_, shape_.x, at, first, size, count);
        if (shape_.y != Form::VALUE) {
            CopyIn(yQueue_, y_, shape_.y, at, first, size, count);
        }
        Local<T> rawX = xQueue_.template DeQue<T>();
        Local<T> rawY;
        if (shape_.y != Form::VALUE) {
            rawY = yQueue_.template DeQue<T>();
        }
        const Local<float> x = Float(rawX, shape_.x, wideX_, size, count);
        const Local<float> y = shape_.y == Form::VALUE ? wideY_.Get<float>() :
                                                         Float(rawY, shape_.y, wideY_, size, count);
        Local<T> z = zQueue_.template AllocTensor<T>();
        if constexpr (Wide<T>::IS_FLOAT) {
            Compute(z, x, y, count);
        } else {
            const Local<float> q = quotient_.Get<float>();
            Compute(q, x, y, count);
            Narrow(z, q, count);
        }
        xQueue_.FreeTensor(rawX);
        if (shape_.y != Form::VALUE) {
            yQueue_.FreeTensor(rawY);
        }
        zQueue_.EnQue(z);
        z = zQueue_.template DeQue<T>();
        DataCopyPad(z_[first], z, Row(count));
        zQueue_.FreeTensor(z);
    }

    __aicore__ inline static AscendC::DataCopyExtParams Row(uint32_t count)
    {
        return {1, count * static_cast<uint32_t>(sizeof(T)), 0, 0, 0};
    }

    template <typename Queue>
    __aicore__ inline void CopyIn(Queue& queue, const AscendC::GlobalTensor<T>& from, Form form, int64_t at,
                                  int64_t first, int64_t size, uint32_t count)
    {
        const Local<T> raw = queue.template AllocTensor<T>();
        if (form == Form::TILE) {
            DataCopyPad(raw, from[first], Row(count), AscendC::DataCopyPadExtParams<T>{});
        } else if (form == Form::ROW) {
            DataCopyPad(raw, from[at / shape_.group * shape_.columns], Row(static_cast<uint32_t>(shape_.columns)),
                        AscendC::DataCopyPadExtParams<T>{});
        } else {
            DataCopyPad(raw, from[at], Row(static_cast<uint32_t>(size)), AscendC::DataCopyPadExtParams<T>{});
        }
        queue.EnQue(raw);
    }

    // Whole repeats by one call each, the rest by another: calls with a mask cost less than calls with a count.
    template <typename Call>
    __aicore__ inline static void Repeats(uint32_t count, const Call& call)
    {
        constexpr uint32_t lanes = 64;
        constexpr uint32_t most = 255;
        uint32_t at = 0;
        while (count - at >= lanes) {
            const uint32_t left = (count - at) / lanes;
            const uint32_t times = left < most ? left : most;
            call(at, static_cast<uint64_t>(lanes), static_cast<uint8_t>(times));
            at += times * lanes;
        }
        if (at < count) {
            call(at, static_cast<uint64_t>(count - at), static_cast<uint8_t>(1));
        }
    }

    template <typename To, typename From>
    __aicore__ inline static void Convert(const Local<To>& to, const Local<From>& from, AscendC::RoundMode mode,
                                          uint32_t count)
    {
        constexpr uint8_t toStep = static_cast<uint8_t>(64 * sizeof(To) / 32);
        constexpr uint8_t fromStep = static_cast<uint8_t>(64 * sizeof(From) / 32);
        Repeats(count, [&](uint32_t at, uint64_t mask, uint8_t times) {
            Cast(to[at], from[at], mode, mask, times, AscendC::UnaryRepeatParams(1, 1, toStep, fromStep));
        });
    }

    // In float and spread over the tile.
    __aicore__ inline Local<float> Float(const Local<T>& raw, Form form, AscendC::TBuf<>& room, int64_t size,
                                         uint32_t count)
    {
        using AscendC::RoundMode;
        if constexpr (Wide<T>::IS_FLOAT) {
            if (form == Form::TILE) {
                return raw;
            }
        }
        const Local<float> wide = room.Get<float>();
        if (form == Form::TILE) {
            ToFloat(wide, raw, count);
            return wide;
        }
        const uint32_t few = form == Form::ROW ? static_cast<uint32_t>(shape_.columns) : static_cast<uint32_t>(size);
        const Local<float> blocks = blocks_.Get<float>();
        const Local<float> narrow = blocks[8 * (8 * (1 + cut_.tile / 8))];
        Local<float> values = narrow;
        if constexpr (Wide<T>::IS_FLOAT) {
            values = raw;
        } else {
            ToFloat(narrow, raw, few);
        }
        const uint32_t columns = static_cast<uint32_t>(shape_.columns);
        if (form == Form::ROW) { // the row again and again
            for (int64_t row = 0; row < size; row++) {
                DataCopy(wide[row * columns], values, columns);
            }
            return wide;
        }
        Brcb(blocks, values, static_cast<uint8_t>((size + 7) / 8), AscendC::BrcbRepeatParams(1, 8));
        for (int64_t row = 0; row < size; row++) {
            Repeats(columns, [&](uint32_t at, uint64_t mask, uint8_t times) {
                Copy(wide[row * columns + at], blocks[row * 8], mask, times, AscendC::CopyRepeatParams(1, 0, 8, 0));
            });
        }
        return wide;
    }

    __aicore__ inline void ToFloat(const Local<float>& to, const Local<T>& from, uint32_t count)
    {
        using AscendC::RoundMode;
        if constexpr (Wide<T>::BY_HALF) {
            const Local<half> middle = half_.Get<half>();
            Convert(middle, from, RoundMode::CAST_NONE, count);
            Convert(to, middle, RoundMode::CAST_NONE, count);
        } else if constexpr (AscendC::IsSameType<T, int32_t>::value) {
            Convert(to, from, RoundMode::CAST_RINT, count);
        } else if constexpr (!Wide<T>::IS_FLOAT) {
            Convert(to, from, RoundMode::CAST_NONE, count);
        }
    }

    __aicore__ inline void Narrow(const Local<T>& to, const Local<float>& from, uint32_t count)
    {
        using AscendC::RoundMode;
        if constexpr (Wide<T>::BY_HALF) {
            const Local<half> middle = half_.Get<half>();
            Convert(middle, from, RoundMode::CAST_NONE, count);
            Convert(to, middle, RoundMode::CAST_TRUNC, count);
        } else if constexpr (AscendC::IsSameType<T, int32_t>::value || AscendC::IsSameType<T, int16_t>::value) {
            Convert(to, from, RoundMode::CAST_TRUNC, count);
        } else {
            Convert(to, from, RoundMode::CAST_RINT, count);
        }
    }

    __aicore__ inline void Compute(const Local<float>& to, const Local<float>& x, const Local<float>& y, uint32_t count)
    {
        using namespace AscendC;
        const BinaryRepeatParams two(1, 1, 1, 8, 8, 8);
        const Local<float> q = quotient_.Get<float>();
        Repeats(count, [&](uint32_t at, uint64_t mask, uint8_t times) { Div(q[at], x[at], y[at], mask, times, two); });
        if constexpr (CHAIN == Chain::TBE) {
            const Local<float> bound = bound_.Get<float>();
            const Local<float> zero = zero_.Get<float>();
            Repeats(count, [&](uint32_t at, uint64_t mask, uint8_t times) {
                Max(bound[at], q[at], zero[at], mask, times, two);
            });
            Convert(bound, bound, RoundMode::CAST_FLOOR, count);
            Repeats(count,
                    [&](uint32_t at, uint64_t mask, uint8_t times) { Min(q[at], q[at], zero[at], mask, times, two); });
            Convert(q, q, RoundMode::CAST_CEIL, count);
            Repeats(count,
                    [&](uint32_t at, uint64_t mask, uint8_t times) { Add(q[at], q[at], bound[at], mask, times, two); });
        } else {
            Convert(q, q, RoundMode::CAST_TRUNC, count);
        }
        Repeats(count, [&](uint32_t at, uint64_t mask, uint8_t times) { Mul(q[at], q[at], y[at], mask, times, two); });
        Repeats(count, [&](uint32_t at, uint64_t mask, uint8_t times) { Sub(to[at], x[at], q[at], mask, times, two); });
    }

    Shape shape_;
    Cut cut_;
    AscendC::GlobalTensor<T> x_;
    AscendC::GlobalTensor<T> y_;
    AscendC::GlobalTensor<T> z_;
    AscendC::TQue<AscendC::TPosition::VECIN, 2> xQueue_;
    AscendC::TQue<AscendC::TPosition::VECIN, 2> yQueue_;
    AscendC::TQue<AscendC::TPosition::VECOUT, 2> zQueue_;
    AscendC::TBuf<> quotient_;
    AscendC::TBuf<> bound_;
    AscendC::TBuf<> zero_;
    AscendC::TBuf<> wideX_;
    AscendC::TBuf<> wideY_;
    AscendC::TBuf<> half_;
    AscendC::TBuf<> blocks_;
    uint32_t tileElements_ = 0;
};

#endif // FMOD_CHAINS_CHAIN_H
