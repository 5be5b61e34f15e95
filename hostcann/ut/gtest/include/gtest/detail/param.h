// Value-parameterised tests.
#ifndef HOSTCANN_UT_GTEST_PARAM_H
#define HOSTCANN_UT_GTEST_PARAM_H

#include <array>
#include <deque>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "gtest/detail/registry.h"

namespace testing {
template <typename T>
class WithParamInterface {
public:
    using ParamType = T;
    virtual ~WithParamInterface() = default;
    static const T& GetParam() { return *param_; }
    static void SetParam(const T* param) { param_ = param; }

private:
    inline static const T* param_ = nullptr;
};

template <typename T>
class TestWithParam : public Test, public WithParamInterface<T> {};

template <typename T>
struct TestParamInfo {
    TestParamInfo(const T& value, size_t position) : param(value), index(position) {}
    T param;
    size_t index;
};

struct PrintToStringParamName {
    template <typename T>
    std::string operator()(const TestParamInfo<T>& info) const
    {
        return PrintToString(info.param);
    }
};

namespace internal {
// A generator gives the values in the type that a fixture asks for.
template <typename... Ts>
class ValueList {
public:
    explicit ValueList(Ts... values) : values_(std::move(values)...) {}
    template <typename T>
    std::vector<T> As() const
    {
        return std::apply([](const auto&... value) { return std::vector<T>{static_cast<T>(value)...}; }, values_);
    }

private:
    std::tuple<Ts...> values_;
};

template <typename Source>
class ValueSource {
public:
    explicit ValueSource(std::vector<Source> values) : values_(std::move(values)) {}
    template <typename T>
    std::vector<T> As() const
    {
        return std::vector<T>(values_.begin(), values_.end());
    }

private:
    std::vector<Source> values_;
};

template <typename... Generators>
class Product {
public:
    explicit Product(Generators... generators) : generators_(std::move(generators)...) {}
    template <typename T>
    std::vector<T> As() const
    {
        return Expand<T>(std::index_sequence_for<Generators...>{});
    }

private:
    template <typename T, size_t... I>
    std::vector<T> Expand(std::index_sequence<I...>) const
    {
        const auto axes = std::make_tuple(std::get<I>(generators_).template As<std::tuple_element_t<I, T>>()...);
        const std::array<size_t, sizeof...(Generators)> sizes{std::get<I>(axes).size()...};
        size_t total = 1;
        for (size_t size : sizes) {
            total *= size;
        }
        std::vector<T> all;
        for (size_t at = 0; at < total; at++) {
            std::array<size_t, sizeof...(Generators)> index{};
            size_t rest = at;
            for (size_t axis = sizes.size(); axis-- > 0; rest /= sizes[axis]) {
                index[axis] = rest % sizes[axis]; // the last axis runs fastest
            }
            all.emplace_back(std::get<I>(axes)[index[I]]...);
        }
        return all;
    }

    std::tuple<Generators...> generators_;
};

struct PlaceNames {
    template <typename T>
    std::string operator()(const TestParamInfo<T>& info) const
    {
        return std::to_string(info.index);
    }
};

// One parameterised suite: its tests and its instantiations meet in either order of registration.
template <typename Fixture>
struct ParamSuite {
    using T = typename Fixture::ParamType;
    struct Body {
        std::string name;
        const char* file;
        int line;
        std::function<std::unique_ptr<Test>()> make;
    };
    struct Instance {
        std::string prefix;
        std::deque<T> values;
        std::vector<std::string> names;
    };
    std::string name;
    std::vector<Body> bodies;
    std::vector<Instance> instances;

    void Expand() const;
};

// Called before the tests are listed or run.
void AddExpansion(const std::string& suite, std::function<bool()> expand);
bool AllowUninstantiated(const char* suite);

template <typename Fixture>
ParamSuite<Fixture>& SuiteOf(const char* name)
{
    static ParamSuite<Fixture>* suite = [name] {
        auto* made = new ParamSuite<Fixture>;
        made->name = name;
        AddExpansion(name, [made] {
            made->Expand();
            return !made->instances.empty();
        });
        return made;
    }();
    return *suite;
}

template <typename Fixture>
void ParamSuite<Fixture>::Expand() const
{
    for (const Instance& instance : instances) {
        const std::string full = instance.prefix.empty() ? name : instance.prefix + "/" + name;
        for (const Body& body : bodies) {
            for (size_t i = 0; i < instance.values.size(); i++) {
                const T* value = &instance.values[i];
                AddTest(
                    full, body.name + "/" + instance.names[i], body.file, body.line,
                    [make = body.make, value] {
                        Fixture::SetParam(value);
                        return make();
                    },
                    SuiteAccess<Fixture>::SetUpAll, SuiteAccess<Fixture>::TearDownAll);
            }
        }
    }
}

template <typename Class, typename Fixture>
bool RegisterParamTest(const char* suite, const char* name, const char* file, int line)
{
    SuiteOf<Fixture>(suite).bodies.push_back({name, file, line, [] { return std::unique_ptr<Test>(new Class); }});
    return true;
}

template <typename Fixture, typename Generator, typename Namer = PlaceNames>
bool Instantiate(const char* prefix, const char* suite, const char*, int, const Generator& generator,
                 Namer namer = Namer())
{
    using T = typename Fixture::ParamType;
    const std::vector<T> values = generator.template As<T>();
    typename ParamSuite<Fixture>::Instance instance{prefix, {values.begin(), values.end()}, {}};
    for (size_t i = 0; i < instance.values.size(); i++) {
        instance.names.push_back(namer(TestParamInfo<T>(instance.values[i], i)));
    }
    SuiteOf<Fixture>(suite).instances.push_back(std::move(instance));
    return true;
}
} // namespace internal

template <typename... Ts>
internal::ValueList<Ts...> Values(Ts... values)
{
    return internal::ValueList<Ts...>(std::move(values)...);
}

template <typename Container, typename Value = typename Container::value_type>
internal::ValueSource<Value> ValuesIn(const Container& values)
{
    return internal::ValueSource<Value>(std::vector<Value>(values.begin(), values.end()));
}
template <typename T, size_t N>
internal::ValueSource<T> ValuesIn(const T (&values)[N])
{
    return internal::ValueSource<T>(std::vector<T>(values, values + N));
}
template <typename T>
internal::ValueSource<T> ValuesIn(std::initializer_list<T> values)
{
    return internal::ValueSource<T>(std::vector<T>(values));
}

// From begin up to, but without, end.
template <typename T, typename Step = int>
internal::ValueSource<T> Range(T begin, T end, Step step = 1)
{
    std::vector<T> values;
    for (T value = begin; value < end; value = static_cast<T>(value + step)) {
        values.push_back(value);
    }
    return internal::ValueSource<T>(std::move(values));
}

inline internal::ValueList<bool, bool> Bool() { return Values(false, true); }

template <typename... Generators>
internal::Product<Generators...> Combine(Generators... generators)
{
    return internal::Product<Generators...>(std::move(generators)...);
}
} // namespace testing

#endif // HOSTCANN_UT_GTEST_PARAM_H
