"""Paddle's OpTest in small: `inputs`, `attrs`, `outputs`, check_output and check_grad, for operators outside of its tree.

The wheel does not contain the original (test/legacy_test/op_test.py). A test in this shape runs with either of them.
"""

import unittest

import numpy as np

import paddle

# What a difference may be, per data type, where the test does not say.
_TOLERANCE = {"float64": 1e-7, "float32": 1e-5, "float16": 1e-3, "bfloat16": 1e-2}


def convert_float_to_uint16(values):
    """bfloat16 as numpy has it here: the upper halves of float32, rounded to even."""
    bits = np.asarray(values, dtype="float32").view("uint32").astype("uint64")
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype("uint16")


def convert_uint16_to_float(values):
    return (np.asarray(values, dtype="uint16").astype("uint32") << 16).view("float32")


class OpTest(unittest.TestCase):
    """A test sets op_type, python_api, inputs {"X": …}, attrs {…}, outputs {"Out": …} in setUp."""

    def _dtype_of(self, name):
        # Paddle's convention: uint16 in numpy is bfloat16.
        kind = self.inputs[name].dtype.name
        return "bfloat16" if kind == "uint16" else kind

    def _tensor(self, name, place, values=None):
        values = self.inputs[name] if values is None else values
        if self._dtype_of(name) == "bfloat16":
            wide = paddle.to_tensor(convert_uint16_to_float(values), place=place)
            return wide.astype("bfloat16")
        return paddle.to_tensor(values, place=place)

    def _numpy(self, tensor):
        return tensor.astype("float32").numpy() if tensor.dtype == paddle.bfloat16 else tensor.numpy()

    def _call(self, tensors):
        return self.python_api(*tensors, **getattr(self, "attrs", {}))

    def _places(self):
        devices = [paddle.CustomPlace("npu", 0)] if "npu" in paddle.device.get_all_custom_device_type() else []
        return [paddle.CPUPlace(), *devices]

    def _compare(self, got, expected, atol, rtol, what):
        if expected.dtype == np.uint16:
            expected = convert_uint16_to_float(expected)
        self.assertEqual(list(got.shape), list(expected.shape), what)
        np.testing.assert_allclose(got, expected, atol=atol, rtol=rtol, err_msg=what)

    def check_output(self, atol=None, rtol=1e-5, check_pir=True):
        """The results in a dynamic graph and, with check_pir, in a static program, on every place."""
        (out_name,) = self.outputs
        names = list(self.inputs)
        atol = _TOLERANCE.get(self._dtype_of(names[0]), 0) if atol is None else atol
        for place in self._places():
            out = self._call([self._tensor(name, place) for name in names])
            self._compare(self._numpy(out), self.outputs[out_name], atol, rtol, f"{out_name} on {place}")
            if check_pir:
                (static,) = self._run_static(place, [])
                self._compare(static, self.outputs[out_name], atol, rtol, f"{out_name} in a program on {place}")

    def _run_static(self, place, gradients_of):
        """Results of a program: the output, then the gradients of its mean-free sum."""
        feed = {name: values for name, values in self.inputs.items()}
        paddle.enable_static()
        try:
            program = paddle.static.Program()
            with paddle.static.program_guard(program):
                data = []
                for name, values in feed.items():
                    one = paddle.static.data(name, values.shape, self._dtype_of(name))
                    one.stop_gradient = False
                    data.append(one)
                out = self._call(data)
                wanted = [data[list(feed).index(name)] for name in gradients_of]
                grads = paddle.static.gradients([out], wanted) if wanted else []
                if self._dtype_of(next(iter(feed))) == "bfloat16":
                    out = out.astype("float32")
                executor = paddle.static.Executor(place)
                return executor.run(program, feed=feed, fetch_list=[out, *grads])
        finally:
            paddle.disable_static()

    def _numeric(self, name, delta, cotangent):
        """Central differences of sum(out * cotangent), through the operator itself, summed in double."""
        place = paddle.CPUPlace()
        values = np.array(self.inputs[name])
        grad = np.zeros(values.shape, dtype="float64")
        flat, flat_grad = values.reshape(-1), grad.reshape(-1)

        def total():
            given = [self._tensor(n, place, values if n == name else None) for n in self.inputs]
            return float((self._numpy(self._call(given)).astype("float64") * cotangent).sum())

        for i in range(flat.size):
            old = flat[i]
            # What the type made of the step, not what was asked for.
            flat[i] = old + delta
            high, above = total(), float(flat[i])
            flat[i] = old - delta
            low, below = total(), float(flat[i])
            flat[i] = old
            flat_grad[i] = (high - low) / (above - below)
        return grad

    def check_grad(
        self,
        inputs_to_check,
        output_names,
        max_relative_error=0.005,
        numeric_grad_delta=0.005,
        user_defined_grads=None,
        check_pir=True,
    ):
        """Gradients of the sum of the output against central differences, or those that the test brings."""
        self.assertEqual([output_names] if isinstance(output_names, str) else output_names, list(self.outputs))
        (expected_out,) = self.outputs.values()
        cotangent = np.ones(expected_out.shape)
        expected = user_defined_grads or [
            self._numeric(name, numeric_grad_delta, cotangent) for name in inputs_to_check
        ]
        for place in self._places():
            tensors = {name: self._tensor(name, place) for name in self.inputs}
            for name in inputs_to_check:
                tensors[name].stop_gradient = False
            self._call(list(tensors.values())).sum().backward()
            for name, want in zip(inputs_to_check, expected):
                self._compare_grad(self._numpy(tensors[name].grad), want, max_relative_error, f"{name} on {place}")
            for name in tensors.keys() - set(inputs_to_check):
                self.assertIsNone(tensors[name].grad, f"{name} has stop_gradient")
            if check_pir and self._dtype_of(inputs_to_check[0]) != "bfloat16":
                found = self._run_static(place, inputs_to_check)[1:]
                for name, got, want in zip(inputs_to_check, found, expected):
                    self._compare_grad(got, want, max_relative_error, f"{name} in a program on {place}")

    def _compare_grad(self, got, want, max_relative_error, what):
        self.assertEqual(list(got.shape), list(want.shape), f"gradient of {what}")
        # As OpTest: relative to the larger of |want| and, for small ones, 1.
        scale = np.maximum(np.abs(want), 1)
        worst = float(np.max(np.abs(got.astype("float64") - want) / scale, initial=0))
        self.assertLessEqual(worst, max_relative_error, f"gradient of {what}: {got} against {want}")
