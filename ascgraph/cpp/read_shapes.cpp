static bool ReadShapes(CONTEXT* context, std::vector<SHAPES::Shape>& inputs)
{
    for (size_t i = 0; i < INPUTS; i++) {
        const auto* given = context->GetInputShape(i);
        if (given == nullptr) {
            return false;
        }
        const gert::Shape& shape = GIVEN;
        SHAPES::Shape dims;
        for (size_t n = 0; n < shape.GetDimNum(); n++) {
            dims.push_back(shape.GetDim(n));
        }
        inputs.push_back(dims);
    }
    return true;
}
