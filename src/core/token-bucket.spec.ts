import { TokenBucket } from './token-bucket.js';

const take = (bucket: TokenBucket, times: number, now: number): number[] =>
  Array.from({ length: times }, () => bucket.take(now));

it('gives a burst at once, and then says how long each further token takes', () => {
  const bucket = new TokenBucket(30, 30);
  expect(take(bucket, 30, 7)).toEqual(Array(30).fill(0));
  expect(take(bucket, 3, 7)).toEqual([33, 66, 100]);
});

it('is refilled as time passes, up to its capacity', () => {
  const bucket = new TokenBucket(10, 100);
  take(bucket, 10, 0);
  expect(take(bucket, 6, 50)).toEqual([0, 0, 0, 0, 0, 10]);
  expect(take(bucket, 11, 60_000)).toEqual([...Array<number>(10).fill(0), 10]);
});
