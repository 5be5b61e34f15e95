//! The few parts of libclang's C interface that the device check uses, without raw pointers.

// libclang's names.
#![allow(non_upper_case_globals)]

use std::ffi::{CStr, CString, c_char, c_uint, c_ulong};
use std::path::PathBuf;
use std::ptr;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail};
use clang_sys::*;

use crate::base::diag::{HintExt, Kind, failed};

/// libclang, loaded once; every thread that uses it calls `enter`.
pub struct Library(Arc<SharedLibrary>);

impl Library {
    /// From LIBCLANG_PATH, else from where the system keeps it.
    pub fn load() -> Result<Library> {
        clang_sys::load().map_err(|why| {
            failed(
                Kind::Tool,
                format!("libclang, which reads kernels as a device compiler does, cannot be loaded: {why}"),
            )
            .hint("`cargo xtask setup` fetches the pinned one; LIBCLANG_PATH names the directory of another")
        })?;
        clang_sys::get_library().map(Library).context("libclang was loaded, but is not there")
    }

    pub fn enter(&self) {
        clang_sys::set_library(Some(self.0.clone()));
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub file: PathBuf,
    pub line: u32,
    pub column: u32,
}

pub struct Diagnostic {
    pub error: bool,
    pub text: String,
    pub place: Option<Place>,
    pub notes: Vec<(String, Option<Place>)>,
}

/// One parsed translation unit.
pub struct Parsed {
    index: CXIndex,
    unit: CXTranslationUnit,
}

impl Drop for Parsed {
    fn drop(&mut self) {
        // SAFETY: both were created by `parse` and are disposed of once.
        unsafe {
            clang_disposeTranslationUnit(self.unit);
            clang_disposeIndex(self.index);
        }
    }
}

impl Parsed {
    /// Parses the first of `texts`, each with the file that it is read for; that file need not exist.
    pub fn parse(texts: &[(PathBuf, String)], arguments: &[String]) -> Result<Parsed> {
        let c_string = |text: &str| CString::new(text).map_err(|_| anyhow!("`{text}` holds a NUL byte"));
        let owned = |(path, text): &(PathBuf, String)| Ok((c_string(&path.display().to_string())?, c_string(text)?));
        let owned = texts.iter().map(owned).collect::<Result<Vec<_>>>()?;
        let (name, _) = owned.first().context("there is nothing to parse")?;
        let arguments = arguments.iter().map(|argument| c_string(argument)).collect::<Result<Vec<_>>>()?;
        let arguments: Vec<*const c_char> = arguments.iter().map(|argument| argument.as_ptr()).collect();
        let unsaved = |(name, content): &(CString, CString)| CXUnsavedFile {
            Filename: name.as_ptr(),
            Contents: content.as_ptr(),
            Length: content.as_bytes().len() as c_ulong,
        };
        let mut unsaved: Vec<CXUnsavedFile> = owned.iter().map(unsaved).collect();
        let mut unit = ptr::null_mut();
        // SAFETY: every pointer outlives the call; libclang copies what it keeps.
        unsafe {
            let index = clang_createIndex(0, 0);
            let code = clang_parseTranslationUnit2(
                index,
                name.as_ptr(),
                arguments.as_ptr(),
                i32::try_from(arguments.len()).context("too many arguments")?,
                unsaved.as_mut_ptr(),
                u32::try_from(unsaved.len()).context("too many files")?,
                CXTranslationUnit_None,
                &mut unit,
            );
            if code != CXError_Success || unit.is_null() {
                clang_disposeIndex(index);
                bail!("libclang cannot parse {} (error {code})", name.to_string_lossy());
            }
            Ok(Parsed { index, unit })
        }
    }

    pub fn root(&self) -> Cursor {
        // SAFETY: the unit lives as long as self.
        Cursor(unsafe { clang_getTranslationUnitCursor(self.unit) })
    }

    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        // SAFETY: indices are below the count; every diagnostic and set is disposed of once, children by their parent.
        unsafe {
            (0..clang_getNumDiagnostics(self.unit))
                .map(|i| {
                    let one = clang_getDiagnostic(self.unit, i);
                    let notes = clang_getChildDiagnostics(one);
                    let notes = (0..clang_getNumDiagnosticsInSet(notes))
                        .map(|j| {
                            let note = clang_getDiagnosticInSet(notes, j);
                            (string(clang_getDiagnosticSpelling(note)), place(clang_getDiagnosticLocation(note)))
                        })
                        .collect();
                    let found = Diagnostic {
                        error: clang_getDiagnosticSeverity(one) >= CXDiagnostic_Error,
                        text: string(clang_getDiagnosticSpelling(one)),
                        place: place(clang_getDiagnosticLocation(one)),
                        notes,
                    };
                    clang_disposeDiagnostic(one);
                    found
                })
                .collect()
        }
    }
}

/// # Safety
/// `text` comes from libclang and is not disposed of yet.
unsafe fn string(text: CXString) -> String {
    // SAFETY: see above; libclang's strings end with NUL.
    unsafe {
        let chars = clang_getCString(text);
        let owned = if chars.is_null() { String::new() } else { CStr::from_ptr(chars).to_string_lossy().into_owned() };
        clang_disposeString(text);
        owned
    }
}

/// Of a macro's expansion, not of its definition.
fn place(location: CXSourceLocation) -> Option<Place> {
    let (mut file, mut line, mut column) = (ptr::null_mut(), 0, 0);
    // SAFETY: the out-pointers are valid; a null file means there is no place.
    unsafe {
        clang_getExpansionLocation(location, &mut file, &mut line, &mut column, ptr::null_mut());
        if file.is_null() {
            return None;
        }
        Some(Place { file: PathBuf::from(string(clang_getFileName(file))), line, column })
    }
}

/// A node of the syntax tree. Valid while its `Parsed` lives, which `Parsed::root`'s users see to.
#[derive(Clone, Copy)]
pub struct Cursor(CXCursor);

impl PartialEq for Cursor {
    fn eq(&self, other: &Cursor) -> bool {
        // SAFETY: comparing does not look behind the pointers.
        unsafe { clang_equalCursors(self.0, other.0) != 0 }
    }
}

impl Eq for Cursor {}

impl std::hash::Hash for Cursor {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        // SAFETY: as for eq.
        state.write_u32(unsafe { clang_hashCursor(self.0) });
    }
}

impl Cursor {
    fn some(cursor: CXCursor) -> Option<Cursor> {
        // SAFETY: the node belongs to a live translation unit.
        (unsafe { clang_Cursor_isNull(cursor) } == 0).then_some(Cursor(cursor))
    }

    pub fn kind(self) -> CXCursorKind {
        // SAFETY: the node belongs to a live translation unit.
        unsafe { clang_getCursorKind(self.0) }
    }

    pub fn name(self) -> String {
        // SAFETY: the node belongs to a live translation unit.
        unsafe { string(clang_getCursorSpelling(self.0)) }
    }

    /// With template arguments or parameters.
    pub fn display(self) -> String {
        // SAFETY: the node belongs to a live translation unit.
        unsafe { string(clang_getCursorDisplayName(self.0)) }
    }

    pub fn place(self) -> Option<Place> {
        // SAFETY: the node belongs to a live translation unit.
        place(unsafe { clang_getCursorLocation(self.0) })
    }

    pub fn in_system_header(self) -> bool {
        // SAFETY: the node belongs to a live translation unit.
        unsafe { clang_Location_isInSystemHeader(clang_getCursorLocation(self.0)) != 0 }
    }

    pub fn referenced(self) -> Option<Cursor> {
        // SAFETY: the node belongs to a live translation unit.
        Cursor::some(unsafe { clang_getCursorReferenced(self.0) })
    }

    pub fn definition(self) -> Option<Cursor> {
        // SAFETY: the node belongs to a live translation unit.
        Cursor::some(unsafe { clang_getCursorDefinition(self.0) })
    }

    pub fn parent(self) -> Option<Cursor> {
        // SAFETY: the node belongs to a live translation unit.
        Cursor::some(unsafe { clang_getCursorSemanticParent(self.0) })
    }

    pub fn is_virtual(self) -> bool {
        // SAFETY: the node belongs to a live translation unit.
        unsafe { clang_CXXMethod_isVirtual(self.0) != 0 }
    }

    /// The template that this is made from.
    pub fn template(self) -> Option<Cursor> {
        // SAFETY: the node belongs to a live translation unit.
        Cursor::some(unsafe { clang_getSpecializedCursorTemplate(self.0) })
    }

    pub fn is_thread_local(self) -> bool {
        // SAFETY: the node belongs to a live translation unit.
        unsafe { clang_getCursorTLSKind(self.0) != CXTLS_None }
    }

    pub fn is_static_storage(self) -> bool {
        // SAFETY: the node belongs to a live translation unit.
        unsafe { clang_Cursor_getStorageClass(self.0) == CX_SC_Static }
    }

    pub fn ty(self) -> Type {
        // SAFETY: the node belongs to a live translation unit.
        Type(unsafe { clang_getCursorType(self.0) })
    }

    /// Whether it is an expression with a value known when it is compiled.
    pub fn is_constant(self) -> bool {
        // SAFETY: the node belongs to a live translation unit.
        unsafe {
            let value = clang_Cursor_Evaluate(self.0);
            if value.is_null() {
                return false;
            }
            let known = clang_EvalResult_getKind(value) != CXEval_UnExposed;
            clang_EvalResult_dispose(value);
            known
        }
    }

    pub fn children(self) -> Vec<Cursor> {
        extern "C" fn push(cursor: CXCursor, _: CXCursor, data: CXClientData) -> CXChildVisitResult {
            // SAFETY: data is the vector below, which outlives the visit.
            unsafe { (*data.cast::<Vec<Cursor>>()).push(Cursor(cursor)) };
            CXChildVisit_Continue
        }
        let mut found: Vec<Cursor> = Vec::new();
        // SAFETY: the node belongs to a live translation unit.
        unsafe { clang_visitChildren(self.0, push, (&raw mut found).cast()) };
        found
    }

    /// The spelling of the first `most` tokens.
    pub fn tokens(self, most: c_uint) -> Vec<String> {
        let (mut tokens, mut count) = (ptr::null_mut(), 0);
        // SAFETY: the node belongs to a live translation unit.
        unsafe {
            let unit = clang_Cursor_getTranslationUnit(self.0);
            clang_tokenize(unit, clang_getCursorExtent(self.0), &mut tokens, &mut count);
            let found =
                (0..count.min(most)).map(|i| string(clang_getTokenSpelling(unit, *tokens.add(i as usize)))).collect();
            clang_disposeTokens(unit, tokens, count);
            found
        }
    }
}

#[derive(Clone, Copy)]
pub struct Type(CXType);

impl Type {
    pub fn canonical(self) -> Type {
        // SAFETY: the node belongs to a live translation unit.
        Type(unsafe { clang_getCanonicalType(self.0) })
    }

    pub fn kind(self) -> CXTypeKind {
        self.0.kind
    }

    pub fn is_const(self) -> bool {
        // SAFETY: the node belongs to a live translation unit.
        unsafe { clang_isConstQualifiedType(self.0) != 0 }
    }

    /// Of an array; itself for anything else.
    pub fn element(self) -> Type {
        match self.kind() {
            // SAFETY: the node belongs to a live translation unit.
            CXType_ConstantArray | CXType_VariableArray => Type(unsafe { clang_getArrayElementType(self.0) }).element(),
            _ => self,
        }
    }

    /// Bytes; None when it has no size.
    pub fn size(self) -> Option<u64> {
        // SAFETY: the node belongs to a live translation unit.
        u64::try_from(unsafe { clang_Type_getSizeOf(self.0) }).ok()
    }
}
