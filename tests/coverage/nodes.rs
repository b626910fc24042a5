//! A small program about each kind of syntax node. Its operand is `A`, an integer where it is known; its result is `r`.

use ruff_python_ast::NodeKind;

macro_rules! rows {
    ($($kind:ident => $program:literal,)*) => {
        /// Kind of node, and the program.
        pub const ROWS: &[(&str, &str)] = &[$((stringify!($kind), $program)),*];

        /// Does not compile when the parser has a kind that is not in the table.
        #[expect(dead_code, reason = "that it compiles is the test")]
        fn every_kind_has_a_row(kind: NodeKind) {
            match kind {
                $(NodeKind::$kind => {})*
                // The root, and names as such.
                NodeKind::ModModule | NodeKind::ModExpression | NodeKind::Identifier => {}
            }
        }
    };
}

rows! {
    StmtFunctionDef => "def f(x):\n    return x + 1\nr = f(A)",
    StmtClassDef => "class C:\n    def __init__(self, x):\n        self.x = x\nr = C(A).x",
    StmtReturn => "def f():\n    return A\nr = f()",
    StmtDelete => "d = {1: A, 2: A}\ndel d[1]\nr = len(d)",
    StmtTypeAlias => "type T = int\nr = A",
    StmtAssign => "a = b = r = A",
    StmtAugAssign => "r = 1\nr += A",
    StmtAnnAssign => "r: int = A",
    StmtFor => "r = 0\nfor i in range(A):\n    r += i",
    StmtWhile => "r = 0\nwhile r < 10:\n    r += A",
    StmtIf => "if A > 1:\n    r = 1\nelse:\n    r = 2",
    StmtWith => "class M:\n    def __enter__(self):\n        return A\n    def __exit__(self, *e):\n        return True\nwith M() as r:\n    pass",
    StmtMatch => "r = 0\nmatch A:\n    case 3:\n        r = 1",
    StmtRaise => "try:\n    raise ValueError(A)\nexcept ValueError:\n    r = 1",
    StmtTry => "try:\n    r = A\nfinally:\n    pass",
    StmtAssert => "assert A\nr = A",
    StmtImport => "import math\nr = math.gcd(A, 6)",
    StmtImportFrom => "from math import gcd\nr = gcd(A, 6)",
    StmtGlobal => "def f():\n    global r\n    r = A\nf()",
    StmtNonlocal => "def f():\n    x = 0\n    def g():\n        nonlocal x\n        x = A\n    g()\n    return x\nr = f()",
    StmtExpr => "A\nr = A",
    StmtPass => "pass\nr = A",
    StmtBreak => "r = 0\nwhile True:\n    r += A\n    if r > 5:\n        break",
    StmtContinue => "r = 0\nfor i in range(4):\n    if i == A:\n        continue\n    r += 1",
    StmtIpyEscapeCommand => "!ls\nr = A",
    ExprBoolOp => "r = A and 1",
    ExprNamed => "r = (y := A) + 1",
    ExprBinOp => "r = A * 2 + 1",
    ExprUnaryOp => "r = -A",
    ExprLambda => "r = (lambda x: x + 1)(A)",
    ExprIf => "r = 1 if A else 2",
    ExprDict => "r = {'a': A}",
    ExprSet => "r = {A, 1}",
    ExprListComp => "r = [x * A for x in range(3)]",
    ExprSetComp => "r = {x * A for x in range(3)}",
    ExprDictComp => "r = {x: x * A for x in range(3)}",
    ExprGenerator => "r = sum(x * A for x in range(3))",
    ExprAwait => "import asyncio\nasync def g():\n    return A\nasync def f():\n    return await g()\nr = asyncio.run(f())",
    ExprYield => "def f():\n    yield A\nr = list(f())",
    ExprYieldFrom => "def f():\n    yield from [A, 1]\nr = list(f())",
    ExprCompare => "r = 1 < A < 9",
    ExprCall => "r = abs(A)",
    ExprFString => "r = f'{A}'",
    ExprTString => "r = t'{A}'",
    ExprStringLiteral => "r = 'a' * A",
    ExprBytesLiteral => "r = b'a' * A",
    ExprNumberLiteral => "r = 1 + A",
    ExprBooleanLiteral => "r = True + A",
    ExprNoneLiteral => "r = None",
    ExprEllipsisLiteral => "x = ...\nr = A",
    ExprAttribute => "class C:\n    x = A\nr = C.x",
    ExprSubscript => "r = [1, 2, 3, 4, 5][A]",
    ExprStarred => "r = [*range(A), 1]",
    ExprName => "r = A",
    ExprList => "r = [A, 1]",
    ExprTuple => "r = (A, 1)",
    ExprSlice => "r = [1, 2, 3, 4, 5][1:A]",
    ExprIpyEscapeCommand => "x = !ls\nr = A",
    ExceptHandlerExceptHandler => "try:\n    x = A // 0\nexcept ZeroDivisionError as e:\n    r = 1",
    InterpolatedElement => "r = f'{A}'",
    InterpolatedStringLiteralElement => "r = f'a{A}'",
    PatternMatchValue => "match A:\n    case 3:\n        r = 1\n    case _:\n        r = 2",
    PatternMatchSingleton => "match A:\n    case None:\n        r = 1\n    case _:\n        r = 2",
    PatternMatchSequence => "match [A, 1]:\n    case [x, y]:\n        r = x + y",
    PatternMatchMapping => "match {'a': A}:\n    case {'a': x}:\n        r = x",
    PatternMatchClass => "match A:\n    case int():\n        r = 1\n    case _:\n        r = 2",
    PatternMatchStar => "match [A, 1, 2]:\n    case [x, *rest]:\n        r = rest",
    PatternMatchAs => "match A:\n    case x:\n        r = x",
    PatternMatchOr => "match A:\n    case 1 | 3:\n        r = 1\n    case _:\n        r = 2",
    TypeParamTypeVar => "def f[T](x: T) -> T:\n    return x\nr = f(A)",
    TypeParamTypeVarTuple => "def f[*T](*x: *T):\n    return x\nr = f(A)",
    TypeParamParamSpec => "def f[**P](x):\n    return x\nr = f(A)",
    InterpolatedStringFormatSpec => "r = f'{A:>5}'",
    PatternArguments => "match A:\n    case int(x):\n        r = x\n    case _:\n        r = 2",
    PatternKeyword => "class C:\n    def __init__(self):\n        self.x = A\nmatch C():\n    case C(x=y):\n        r = y",
    Comprehension => "r = [x for x in range(5) if x < A]",
    Arguments => "r = max(A, 1)",
    Parameters => "def f(x, /, y, *, z):\n    return x + y + z\nr = f(A, 1, z=2)",
    Parameter => "def f(*x):\n    return x\nr = f(A, 1)",
    ParameterWithDefault => "def f(x=A):\n    return x\nr = f()",
    Keyword => "def f(x):\n    return x\nr = f(x=A)",
    Alias => "import math as m\nr = m.gcd(A, 6)",
    WithItem => "import contextlib\nwith contextlib.nullcontext(A) as r:\n    pass",
    MatchCase => "match A:\n    case x if x > 1:\n        r = 1\n    case _:\n        r = 2",
    Decorator => "def twice(f):\n    return lambda x: f(f(x))\n@twice\ndef g(x):\n    return x + 1\nr = g(A)",
    ElifElseClause => "if A > 9:\n    r = 1\nelif A > 1:\n    r = 2\nelse:\n    r = 3",
    TypeParams => "class C[T]:\n    x = A\nr = C.x",
    FString => "r = f'{A}' 'b'",
    TString => "r = t'{A}'",
    StringLiteral => "r = 'a' 'b' * A",
    BytesLiteral => "r = b'a' b'b' * A",
}
