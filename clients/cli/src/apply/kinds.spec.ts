import { KINDS } from '../records.js';
import { DOCUMENT_KINDS, UNDOCUMENTED_RECORDS } from './kinds.js';

describe('kinds of documents', () => {
  it('are all records that can be made, but for those that say why they are none', () => {
    const made = KINDS.filter(({ create }) => create !== undefined).map(({ name }) => name);
    const documented = DOCUMENT_KINDS.map(({ record }) => record);
    expect(made.filter((name) => !documented.includes(name)).sort()).toEqual(Object.keys(UNDOCUMENTED_RECORDS).sort());
  });

  it('have an order in which they need one another', () => {
    const order = DOCUMENT_KINDS.map(({ kind }) => kind);
    const before = (first: string, second: string): boolean => order.indexOf(first) < order.indexOf(second);
    expect(before('Credential', 'Connection')).toBe(true);
    expect(before('Connection', 'PerformanceProfile')).toBe(true);
    expect(before('ServiceAccount', 'Team')).toBe(true);
    expect(before('Workspace', 'Filter')).toBe(true);
  });
});
