//! Expressions.

use ruff_python_ast::{self as ast, Expr};
use ruff_text_size::Ranged;

use super::super::code::{BinaryOp, CompareOp, Const, Conversion, Op, Span, UnaryOp};
use super::builder::Label;
use super::{Lowering, number, span};

/// Calls with more arguments than this collect them in a list first.
const MOST_ARGUMENTS: usize = 10_000;

pub(super) fn binary(op: ast::Operator) -> BinaryOp {
    match op {
        ast::Operator::Add => BinaryOp::Add,
        ast::Operator::Sub => BinaryOp::Sub,
        ast::Operator::Mult => BinaryOp::Mul,
        ast::Operator::MatMult => BinaryOp::MatMul,
        ast::Operator::Div => BinaryOp::TrueDiv,
        ast::Operator::FloorDiv => BinaryOp::FloorDiv,
        ast::Operator::Mod => BinaryOp::Mod,
        ast::Operator::Pow => BinaryOp::Pow,
        ast::Operator::LShift => BinaryOp::LShift,
        ast::Operator::RShift => BinaryOp::RShift,
        ast::Operator::BitAnd => BinaryOp::BitAnd,
        ast::Operator::BitOr => BinaryOp::BitOr,
        ast::Operator::BitXor => BinaryOp::BitXor,
    }
}

fn comparison(op: ast::CmpOp) -> CompareOp {
    match op {
        ast::CmpOp::Lt => CompareOp::Lt,
        ast::CmpOp::LtE => CompareOp::Le,
        ast::CmpOp::Eq => CompareOp::Eq,
        ast::CmpOp::NotEq => CompareOp::Ne,
        ast::CmpOp::Gt => CompareOp::Gt,
        ast::CmpOp::GtE => CompareOp::Ge,
        ast::CmpOp::Is => CompareOp::Is,
        ast::CmpOp::IsNot => CompareOp::IsNot,
        ast::CmpOp::In => CompareOp::In,
        ast::CmpOp::NotIn => CompareOp::NotIn,
    }
}

impl Lowering<'_> {
    /// `→ value`
    pub(super) fn expr(&mut self, expr: &Expr) {
        let at = span(expr);
        match expr {
            Expr::BoolOp(e) => {
                let make: fn(u32) -> Op = if e.op == ast::BoolOp::And { Op::JumpIfFalseOrPop } else { Op::JumpIfTrueOrPop };
                let end = self.b.label();
                for (i, value) in e.values.iter().enumerate() {
                    self.expr(value);
                    if i + 1 < e.values.len() {
                        self.jump(make, end, span(value));
                    }
                }
                self.b.place(end);
            }
            Expr::Named(e) => {
                self.expr(&e.value);
                self.emit(Op::Dup, at);
                self.assign(&e.target);
            }
            Expr::BinOp(e) => {
                self.expr(&e.left);
                self.expr(&e.right);
                self.emit(Op::Binary(binary(e.op)), at);
            }
            Expr::UnaryOp(e) => {
                self.expr(&e.operand);
                let op = match e.op {
                    ast::UnaryOp::Invert => UnaryOp::Invert,
                    ast::UnaryOp::Not => UnaryOp::Not,
                    ast::UnaryOp::UAdd => UnaryOp::Pos,
                    ast::UnaryOp::USub => UnaryOp::Neg,
                };
                self.emit(Op::Unary(op), at);
            }
            Expr::Lambda(e) => self.lambda(e),
            Expr::If(e) => {
                let (otherwise, end) = (self.b.label(), self.b.label());
                let depth = self.b.depth;
                self.condition(&e.test, false, otherwise);
                self.expr(&e.body);
                self.jump(Op::Jump, end, at);
                self.b.place(otherwise);
                self.b.set_depth(depth);
                self.expr(&e.orelse);
                self.b.place(end);
            }
            Expr::Dict(e) => self.dict(e, at),
            Expr::Set(e) => {
                if e.elts.iter().any(Expr::is_starred_expr) {
                    self.spread(&e.elts, Op::BuildSet, Op::SetAdd(1), Op::SetUpdate, at);
                } else {
                    self.exprs(&e.elts);
                    self.emit(Op::BuildSet(e.elts.len() as u32), at);
                }
            }
            Expr::List(e) => self.list(&e.elts, at),
            Expr::Tuple(e) => self.tuple(&e.elts, at),
            Expr::ListComp(_) | Expr::SetComp(_) | Expr::DictComp(_) | Expr::Generator(_) => self.comprehension(expr),
            Expr::Await(e) => {
                self.check_async("await", at);
                self.expr(&e.value);
                self.emit(Op::Await, at);
            }
            Expr::Yield(e) => {
                self.check_yield(at);
                match &e.value {
                    Some(value) => self.expr(value),
                    None => self.none(at),
                }
                self.emit(Op::Yield, at);
            }
            Expr::YieldFrom(e) => {
                self.check_yield(at);
                self.expr(&e.value);
                self.emit(Op::YieldFrom, at);
            }
            Expr::Compare(e) => self.compare(e, at),
            Expr::Call(e) => self.call(e, at),
            Expr::FString(e) => self.f_string(e, at),
            Expr::TString(e) => {
                let mut count = 0;
                for element in e.value.elements() {
                    count += self.template_element(element);
                }
                self.emit(Op::BuildTemplate(count), at);
            }
            Expr::StringLiteral(e) => self.string(e.value.to_str(), at),
            Expr::BytesLiteral(e) => {
                let bytes: Vec<u8> = e.value.bytes().collect();
                let id = self.constant(Const::Bytes(bytes.into()));
                self.emit(Op::Const(id), at);
            }
            Expr::NumberLiteral(e) => {
                let value = match &e.value {
                    ast::Number::Int(int) => match int.as_u64() {
                        Some(small) => Const::Int(i128::from(small)),
                        None => number::integer(self.text.get(at.start as usize..at.end as usize).unwrap_or("0")),
                    },
                    ast::Number::Float(value) => Const::Float(*value),
                    ast::Number::Complex { imag, .. } => Const::Complex(*imag),
                };
                let id = self.constant(value);
                self.emit(Op::Const(id), at);
            }
            Expr::BooleanLiteral(e) => {
                let id = self.constant(Const::Bool(e.value));
                self.emit(Op::Const(id), at);
            }
            Expr::NoneLiteral(_) => self.none(at),
            Expr::EllipsisLiteral(_) => {
                let id = self.constant(Const::Ellipsis);
                self.emit(Op::Const(id), at);
            }
            Expr::Attribute(e) => {
                self.expr(&e.value);
                let name = self.id(&e.attr);
                self.emit(Op::LoadAttr(name), at);
            }
            Expr::Subscript(e) => {
                self.expr(&e.value);
                self.expr(&e.slice);
                self.emit(Op::LoadItem, at);
            }
            // Only broken code has a star here; its operand is evaluated, the result is anything.
            Expr::Starred(e) => {
                self.expr(&e.value);
                self.emit(Op::Pop, at);
                self.emit(Op::Unknown, at);
            }
            Expr::Name(e) => {
                // The parser puts a name without text where an expression is missing.
                if e.id.is_empty() {
                    self.emit(Op::Unknown, at);
                } else {
                    let name = self.id(&e.id);
                    self.load(name, at);
                }
            }
            Expr::Slice(e) => {
                for part in [&e.lower, &e.upper] {
                    match part {
                        Some(part) => self.expr(part),
                        None => self.none(at),
                    }
                }
                if let Some(step) = &e.step {
                    self.expr(step);
                }
                self.emit(Op::BuildSlice(2 + u8::from(e.step.is_some())), at);
            }
            Expr::IpyEscapeCommand(_) => {
                self.magic(at);
                self.emit(Op::Unknown, at);
            }
        }
    }

    pub(super) fn exprs(&mut self, exprs: &[Expr]) {
        for expr in exprs {
            self.expr(expr);
        }
    }

    /// Goes to the label when the truth of the expression is `when`, else falls through. Each operand of `and`, `or` and
    /// `not` has its own jump, so that whoever evaluates sees which comparison decided.
    pub(super) fn condition(&mut self, expr: &Expr, when: bool, label: Label) {
        match expr {
            Expr::UnaryOp(e) if e.op == ast::UnaryOp::Not => self.condition(&e.operand, !when, label),
            Expr::BoolOp(e) => {
                let deciding = e.op == ast::BoolOp::Or;
                let skip = self.b.label();
                let Some((last, values)) = e.values.split_last() else { return };
                for value in values {
                    self.condition(value, deciding, if deciding == when { label } else { skip });
                }
                self.condition(last, when, label);
                self.b.place(skip);
            }
            _ => {
                self.expr(expr);
                self.jump(if when { Op::JumpIfTrue } else { Op::JumpIfFalse }, label, span(expr));
            }
        }
    }

    pub(super) fn list(&mut self, elements: &[Expr], at: Span) {
        if elements.iter().any(Expr::is_starred_expr) {
            self.spread(elements, Op::BuildList, Op::ListAppend(1), Op::ListExtend, at);
        } else {
            self.exprs(elements);
            self.emit(Op::BuildList(elements.len() as u32), at);
        }
    }

    pub(super) fn tuple(&mut self, elements: &[Expr], at: Span) {
        if elements.iter().any(Expr::is_starred_expr) {
            self.list(elements, at);
            self.emit(Op::ListToTuple, at);
        } else {
            self.exprs(elements);
            self.emit(Op::BuildTuple(elements.len() as u32), at);
        }
    }

    /// A display with starred elements: what stands before the first star at once, the rest piece by piece.
    fn spread(&mut self, elements: &[Expr], build: fn(u32) -> Op, add: Op, extend: Op, at: Span) {
        let plain = elements.iter().take_while(|e| !e.is_starred_expr()).count();
        self.exprs(&elements[..plain]);
        self.emit(build(plain as u32), at);
        for element in &elements[plain..] {
            if let Expr::Starred(starred) = element {
                self.expr(&starred.value);
                self.emit(extend, span(element));
            } else {
                self.expr(element);
                self.emit(add, span(element));
            }
        }
    }

    fn dict(&mut self, dict: &ast::ExprDict, at: Span) {
        let plain = dict.items.iter().take_while(|item| item.key.is_some()).count();
        for item in &dict.items[..plain] {
            if let Some(key) = &item.key {
                self.expr(key);
                self.expr(&item.value);
            }
        }
        self.emit(Op::BuildDict(plain as u32), at);
        for item in &dict.items[plain..] {
            if let Some(key) = &item.key {
                self.expr(key);
                self.expr(&item.value);
                self.emit(Op::DictInsert(1), at);
            } else {
                self.expr(&item.value);
                self.emit(Op::DictMerge, span(&item.value));
            }
        }
    }

    fn compare(&mut self, e: &ast::ExprCompare, at: Span) {
        self.expr(&e.left);
        let Some(last) = e.ops.len().checked_sub(1) else { return };
        let (failed, end) = (self.b.label(), self.b.label());
        let mut left = e.left.range();
        for (i, (op, right)) in e.ops.iter().zip(&e.comparators).enumerate() {
            let op = comparison(*op);
            self.expr(right);
            let pair = if last == 0 { at } else { Span { start: left.start().to_u32(), end: right.end().to_u32() } };
            if i == last {
                self.emit(Op::Compare(op), pair);
            } else {
                self.emit(Op::Swap(2), pair);
                self.emit(Op::Copy(2), pair);
                self.emit(Op::Compare(op), pair);
                self.jump(Op::JumpIfFalseOrPop, failed, pair);
            }
            left = right.range();
        }
        if last > 0 {
            let depth = self.b.depth;
            self.jump(Op::Jump, end, at);
            self.b.place(failed);
            self.b.set_depth(depth + 1);
            self.emit(Op::Swap(2), at);
            self.emit(Op::Pop, at);
            self.b.place(end);
        }
    }

    fn call(&mut self, e: &ast::ExprCall, at: Span) {
        let arguments = &e.arguments;
        let count = arguments.args.len() + arguments.keywords.len();
        let plain = !arguments.args.iter().any(Expr::is_starred_expr) && arguments.keywords.iter().all(|k| k.arg.is_some());
        if !plain || count > MOST_ARGUMENTS {
            self.expr(&e.func);
            self.list(&arguments.args, at);
            if !arguments.keywords.is_empty() {
                self.keyword_dict(&arguments.keywords, at);
            }
            self.emit(Op::CallEx(!arguments.keywords.is_empty()), at);
            return;
        }
        let method = if let Expr::Attribute(attribute) = &*e.func {
            self.expr(&attribute.value);
            let name = self.id(&attribute.attr);
            self.emit(Op::LoadMethod(name), span(attribute));
            true
        } else {
            self.expr(&e.func);
            false
        };
        self.exprs(&arguments.args);
        let keywords = self.keywords(&arguments.keywords);
        let count = count as u16;
        self.emit(if method { Op::CallMethod(count, keywords) } else { Op::Call(count, keywords) }, at);
    }

    /// Pushes the values of keyword arguments; gives the list of their names.
    pub(super) fn keywords(&mut self, keywords: &[ast::Keyword]) -> Option<super::NamesId> {
        let mut names = Vec::with_capacity(keywords.len());
        for keyword in keywords {
            self.expr(&keyword.value);
            // CPython does not mangle the names of keyword arguments.
            names.push(self.names.intern(keyword.arg.as_ref().map_or("", |arg| arg.as_str())));
        }
        (!names.is_empty()).then(|| self.name_list(names))
    }

    /// `→ dict` of keyword arguments, `**` ones included.
    pub(super) fn keyword_dict(&mut self, keywords: &[ast::Keyword], at: Span) {
        self.emit(Op::BuildDict(0), at);
        for keyword in keywords {
            if let Some(name) = &keyword.arg {
                self.string(name.as_str(), span(name));
                self.expr(&keyword.value);
                self.emit(Op::DictInsert(1), span(keyword));
            } else {
                self.expr(&keyword.value);
                self.emit(Op::DictMerge, span(keyword));
            }
        }
    }

    fn f_string(&mut self, e: &ast::ExprFString, at: Span) {
        let mut parts = Parts::default();
        for part in &e.value {
            match part {
                ast::FStringPart::Literal(literal) => parts.text.push_str(literal.as_str()),
                ast::FStringPart::FString(string) => self.elements(&string.elements, &mut parts, at),
            }
        }
        self.build_string(parts, at);
    }

    fn elements(&mut self, elements: &ast::InterpolatedStringElements, parts: &mut Parts, at: Span) {
        for element in elements {
            match element {
                ast::InterpolatedStringElement::Literal(literal) => parts.text.push_str(&literal.value),
                ast::InterpolatedStringElement::Interpolation(field) => {
                    if let Some(debug) = &field.debug_text {
                        parts.text.push_str(debug.as_str());
                    }
                    self.flush(parts, at);
                    self.replacement_field(field);
                    parts.count += 1;
                }
            }
        }
    }

    fn replacement_field(&mut self, field: &ast::InterpolatedElement) {
        let at = span(field);
        self.expr(&field.expression);
        if let Some(spec) = &field.format_spec {
            let mut parts = Parts::default();
            self.elements(&spec.elements, &mut parts, span(&**spec));
            self.build_string(parts, span(&**spec));
        }
        let conversion = match field.conversion {
            ast::ConversionFlag::None if field.debug_text.is_some() && field.format_spec.is_none() => Conversion::Repr,
            ast::ConversionFlag::None => Conversion::None,
            ast::ConversionFlag::Str => Conversion::Str,
            ast::ConversionFlag::Ascii => Conversion::Ascii,
            ast::ConversionFlag::Repr => Conversion::Repr,
        };
        self.emit(Op::FormatValue(conversion, field.format_spec.is_some()), at);
    }

    fn flush(&mut self, parts: &mut Parts, at: Span) {
        if !parts.text.is_empty() {
            self.string(&std::mem::take(&mut parts.text), at);
            parts.count += 1;
        }
    }

    fn build_string(&mut self, mut parts: Parts, at: Span) {
        if parts.count == 0 {
            self.string(&parts.text, at);
        } else {
            self.flush(&mut parts, at);
            self.emit(Op::BuildString(parts.count), at);
        }
    }

    /// Pushes what a part of a t-string contributes (its text, or its value and its format specification); says how many
    /// values that is.
    fn template_element(&mut self, element: &ast::InterpolatedStringElement) -> u32 {
        match element {
            ast::InterpolatedStringElement::Literal(literal) => {
                self.string(&literal.value, span(literal));
                1
            }
            ast::InterpolatedStringElement::Interpolation(field) => {
                self.expr(&field.expression);
                let Some(spec) = &field.format_spec else { return 1 };
                let mut parts = Parts::default();
                self.elements(&spec.elements, &mut parts, span(&**spec));
                self.build_string(parts, span(&**spec));
                2
            }
        }
    }
}

/// An f-string on its way: how many parts are on the stack, and the literal text since then.
#[derive(Default)]
struct Parts {
    count: u32,
    text: String,
}
