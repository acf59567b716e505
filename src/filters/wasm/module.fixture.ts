/** A small valid module with these imports (`module.name`) and exports, all of them functions without parameters. */
export function moduleOf({ imports = [], exports = [] }: { imports?: string[]; exports?: string[] } = {}): Buffer {
  const imported = imports.map((each) => {
    const [module = '', name = ''] = each.split('.');
    return [...text(module), ...text(name), 0, 0];
  });
  return Buffer.from([
    ...HEADER,
    ...section(1, [[0x60, 0, 0]]),
    ...section(2, imported),
    ...section(3, [[0]]),
    ...section(
      7,
      exports.map((name) => [...text(name), 0, ...number(imports.length)]),
    ),
    ...section(10, [[2, 0, 0x0b]]),
  ]);
}

/** A proxy-wasm plugin as a compiler creates it. */
export const proxyFilter = (name = 'proxy_on_request_headers'): Buffer =>
  moduleOf({ imports: ['env.proxy_log'], exports: ['proxy_abi_version_0_2_1', name] });

/** The header of a core module. */
export const HEADER = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];

/** A section with a vector. */
export const section = (id: number, items: number[][]): number[] => {
  const body = [...number(items.length), ...items.flat()];
  return items.length === 0 ? [] : [id, ...number(body.length), ...body];
};

const text = (value: string): number[] => {
  const bytes = [...Buffer.from(value)];
  return [...number(bytes.length), ...bytes];
};

/** Unsigned LEB128. */
const number = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...number(value >> 7)]);
