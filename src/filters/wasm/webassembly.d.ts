/** The parts of https://webassembly.github.io/spec/js-api/ that this server uses: modules are compiled and never instantiated. */
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
