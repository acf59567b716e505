/** What this server uses of https://webassembly.github.io/spec/js-api/: modules are read and never run. */
declare namespace WebAssembly {
  interface ModuleExport {
    name: string;
    kind: string;
  }

  interface ModuleImport extends ModuleExport {
    module: string;
  }

  class Module {
    constructor(bytes: Uint8Array);
    static exports(module: Module): ModuleExport[];
    static imports(module: Module): ModuleImport[];
  }

  class CompileError extends Error {}
}
