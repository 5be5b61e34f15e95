#include "op_host/element_count.h"

namespace optiling {
int64_t ElementCount(gert::TilingContext* context, size_t input)
{
    return context->GetInputShape(input)->GetStorageShape().GetShapeSize();
}
} // namespace optiling
