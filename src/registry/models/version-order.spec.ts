import { toCategorySlug } from '../../formats/definitions/category.js';
import { toVersionOrder } from './version-order.js';

const sorted = (...versions: string[]) =>
  [...versions].sort((a, b) => Buffer.compare(Buffer.from(toVersionOrder(a)), Buffer.from(toVersionOrder(b))));

it.each([
  [
    [
      'latest',
      '0.1.0',
      'v0.2',
      'v0.10.0',
      '1.0.0-alpha',
      '1.0.0-alpha.1',
      '1.0.0-alpha.beta',
      '1.0.0-rc.2',
      '1.0.0-rc.10',
      '1.0.0',
      'v1.35.0-rc.1',
      'v1.35.0',
    ],
  ],
  [['2022.6.14', '2022.10.1']],
])('versions sort as semver says: %j', (order) => {
  expect(sorted(...[...order].reverse())).toEqual(order);
});

it.each([
  ['Security & Compliance', 'security-compliance'],
  ['Orchestration & Management', 'orchestration-management'],
  ['App Definition', 'app-definition'],
])('the category %s is %s in paths', (category, slug) => {
  expect(toCategorySlug(category)).toBe(slug);
});
