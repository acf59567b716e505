import { getMetadataStorage, IsInt, validateSync } from 'class-validator';
import { speedPatches } from '../speed.js';
import { keepValidationRules } from './validation-rules.js';

class Input {
  @IsInt()
  count = 1;
}

it('collects the rules of a class once, by the method that class-validator calls', () => {
  const { areApplied } = speedPatches;
  speedPatches.areApplied = true;
  keepValidationRules();
  speedPatches.areApplied = areApplied;
  const find = jest.spyOn(getMetadataStorage(), 'getTargetValidationMetadatas');
  const counts = [1, 'one', 2].map((count) => validateSync(Object.assign(new Input(), { count })).length);
  const [first, ...others] = find.mock.results.map(({ value }) => value as unknown);
  find.mockRestore();
  expect(counts).toEqual([0, 1, 0]);
  expect(others).toHaveLength(2);
  for (const rules of others) expect(rules).toBe(first);
});
