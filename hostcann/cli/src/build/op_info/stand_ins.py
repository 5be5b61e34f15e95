# Runs op_select_format of an implementation file without a toolkit.
#
# The names that such files import from a toolkit are stand-ins: they can be called, and decorate functions, but they have
# no value. Whoever wants to know one is told its name. Arguments: request file, result file.
import contextlib
import importlib.abc
import importlib.machinery
import importlib.util
import inspect
import io
import json
import operator
import sys
import traceback
import types

REQUEST = json.load(open(sys.argv[1], encoding="utf-8"))
TOOLKIT = ("tbe", "te", "topi", "tvm", "impl", "op_test_frame", "auto_tune", "auto_schedule")


class Unknown(BaseException):
    """Not an Exception: the implementation must not take it for one of its own."""


def given(name):
    for key, value in REQUEST["stand_ins"].items():
        if name == key or name.endswith("." + key) or name.split("(")[0].endswith("." + key) or name.split("(")[0] == key:
            return True, value
    return False, None


class StandIn:
    def __init__(self, name):
        self.__dict__["stand_in_name"] = name

    def __getattr__(self, key):
        if key.startswith("__") and key.endswith("__"):
            raise AttributeError(key)
        return stand_in(self.stand_in_name + "." + key)

    def __call__(self, *args, **kwargs):
        if len(args) == 1 and not kwargs and isinstance(args[0], types.FunctionType):
            return args[0]
        words = [repr(arg) if not isinstance(arg, str) else arg for arg in args]
        words += [key + "=" + str(value) for key, value in kwargs.items()]
        return stand_in("%s(%s)" % (self.stand_in_name, ",".join(words)))

    def __mro_entries__(self, bases):
        return ()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False

    def __repr__(self):
        return "<stand-in for %s>" % self.stand_in_name


def use(word):
    """What an operator does with a stand-in: with the value that the user gave for its name, if there is one."""
    own = {"bool": bool, "iter": iter, "len": len, "int": int, "float": float, "hash": hash}.get(word)
    swapped = {"radd": "add", "rsub": "sub", "rmul": "mul"}.get(word)

    def run(self, *others):
        known, value = given(self.stand_in_name)
        if not known:
            raise Unknown(self.stand_in_name)
        if own:
            return own(value)
        if swapped:
            return getattr(operator, swapped)(others[0], value)
        return getattr(operator, "__%s__" % word)(value, *others)

    return run


for WORD in ("bool iter len int float hash contains getitem eq ne lt le gt ge add radd sub rsub mul rmul truediv "
             "floordiv mod neg and or").split():
    setattr(StandIn, "__%s__" % WORD, use(WORD))


def stand_in(name):
    """The result of a call is the value itself; a name can be a function or a value."""
    known, value = given(name)
    return value if known and name.endswith(")") else StandIn(name)


class Module(types.ModuleType):
    def __getattr__(self, key):
        if key.startswith("__") and key.endswith("__"):
            raise AttributeError(key)
        return stand_in(self.__name__ + "." + key)


class Param:
    def __init__(self, classify, fields):
        self.classify = classify
        self.fields = fields


def gen_param(classify, name, datatype, format, unknownshape_format=None, sub_format=None):
    fields = {"name": name, "dtype": datatype, "format": format}
    for key, value in (("unknownshape_format", unknownshape_format), ("sub_format", sub_format)):
        if value is not None:
            fields[key] = value
    return Param(classify, fields)


def get_dynamic_param_dict(params):
    return {param.classify: param.fields for param in params}


def get_dynamic_param_in_json(params):
    return json.dumps(get_dynamic_param_dict(params))


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] not in TOOLKIT:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        module = Module(spec.name)
        module.__path__ = []
        if spec.name.endswith("util_select_op_base"):
            for function in (gen_param, get_dynamic_param_dict, get_dynamic_param_in_json):
                setattr(module, function.__name__, function)
        return module

    def exec_module(self, module):
        pass


def where(error):
    """The line of the implementation that the traceback ends in."""
    lines = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == REQUEST["file"]]
    return lines[-1].lineno if lines else 0


def run():
    sys.meta_path.insert(0, Finder())
    spec = importlib.util.spec_from_file_location("implementation", REQUEST["file"])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    function = getattr(module, REQUEST["function"], None)
    if not inspect.isroutine(function):
        return {"error": "it has no function %s" % REQUEST["function"], "line": 0}
    arguments = REQUEST["arguments"]
    try:
        inspect.signature(function).bind(*arguments)
    except TypeError as error:
        return {"error": "%s does not take the operator's %d parameters: %s"
                % (REQUEST["function"], len(arguments), error), "line": function.__code__.co_firstlineno}
    text = function(*arguments)
    if isinstance(text, StandIn):
        raise Unknown(text.stand_in_name)
    if not isinstance(text, str):
        return {"error": "%s gives %s, a string is expected" % (REQUEST["function"], type(text).__name__), "line": 0}
    return {"text": text}


with contextlib.redirect_stdout(io.StringIO()):
    try:
        RESULT = run()
    except Unknown as error:
        RESULT = {"unknown": str(error), "line": where(error)}
    except (Exception, SystemExit) as error:
        if isinstance(error, SyntaxError) and error.filename == REQUEST["file"]:
            RESULT = {"error": "SyntaxError: %s" % error.msg, "line": error.lineno or 0}
        else:
            RESULT = {"error": "%s: %s" % (type(error).__name__, error), "line": where(error)}
with open(sys.argv[2], "w", encoding="utf-8") as out:
    json.dump(RESULT, out)
