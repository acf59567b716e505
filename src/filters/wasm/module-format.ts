import { detectArchiveKind } from '../../formats/archives/archive.js';

/** The reason why a file is not a module, and the remedy. */
export interface FormatFault {
  detail: string;
  remedy: string;
}

const MAGIC = '\0asm';
const HEADER_BYTES = 8;
/** The second half of the header of a component: https://github.com/WebAssembly/component-model/blob/main/design/mvp/Binary.md */
const COMPONENT_LAYER = 1;
/** WebAssembly text format, which is often sent in place of a module. */
const TEXT_FORMAT = { begins: /^\s*(?:\(|;;)/, holds: /\(\s*(?:module|component|type|import|func|memory)\b/ };
const BASE64_MAGIC = /^\s*AGFzb[A-Za-z0-9+/_-]/;

/** Checks the first bytes of a file; undefined when they are the header of a core module of WebAssembly version 1. */
export function findFormatFault(bytes: Uint8Array): FormatFault | undefined {
  if (bytes.length === 0) return { detail: 'is empty', remedy: 'Send the bytes of a .wasm file.' };
  const start = Buffer.from(bytes.subarray(0, 4000)).toString('latin1');
  if (start.startsWith(MAGIC)) return findHeaderFault(bytes);
  if (MAGIC.startsWith(start))
    return { detail: 'is cut off in its first bytes', remedy: 'Send the whole .wasm file again.' };
  const archive = detectArchiveKind(bytes);
  if (archive)
    return {
      detail: `is packed (${archive === 'tar.gz' ? 'gzip' : archive})`,
      remedy: 'Unpack it, and send the .wasm file itself.',
    };
  if (TEXT_FORMAT.begins.test(start) && TEXT_FORMAT.holds.test(start))
    return {
      detail: 'is WebAssembly as text (.wat)',
      remedy: 'Compile it first, for example with wat2wasm or "wasm-tools parse", and send the .wasm file.',
    };
  if (BASE64_MAGIC.test(start))
    return {
      detail: 'is a module as base64 text',
      remedy: 'Send the bytes of the .wasm file; only filter_data.filter_file takes base64, and takes it once.',
    };
  return {
    detail: 'is not WebAssembly: it does not begin with the bytes 00 61 73 6d',
    remedy: 'Send a module that was compiled for WebAssembly (.wasm).',
  };
}

function findHeaderFault(bytes: Uint8Array): FormatFault | undefined {
  if (bytes.length < HEADER_BYTES)
    return { detail: 'is cut off within its header', remedy: 'Send the whole .wasm file again.' };
  const view = new DataView(bytes.buffer, bytes.byteOffset, HEADER_BYTES);
  const [version, layer] = [view.getUint16(4, true), view.getUint16(6, true)];
  if (version === 1 && layer === 0) return undefined;
  if (layer === COMPONENT_LAYER)
    return {
      detail: `is a component of the component model (version 0x${version.toString(16).padStart(2, '0')}), not a core module`,
      remedy: 'Build a core module: proxies load no components. Targets such as wasm32-wasip1 make one.',
    };
  return {
    detail: `has version ${view.getUint32(4, true)} of WebAssembly; only version 1 is taken`,
    remedy: 'Build it with a current compiler.',
  };
}
