export const ROOT: string;
export function compiledPathOf(path: string): string;
export function loadSource(path: string): string;
export function compileFolders(...folders: string[]): void;
