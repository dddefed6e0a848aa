// A test that has to fail, with the assertions that the product's tests use.
import { test, expect } from '@VITEST@';

test('@NAME@', () => {
  const forms = [
    () => expect(1).toBe(2), () => expect({ a: 1 }).toEqual({ a: 2 }), () => expect([1]).toStrictEqual([2]), () => expect('a').toContain('b'),
    () => expect(false).toBeTruthy(), () => expect(1).toBeGreaterThan(2), () => expect('a').toMatch(/b/), () => expect([1]).toHaveLength(2),
    () => expect(() => {}).toThrow(), () => expect(1).not.toBe(1),
  ];
  for (const form of forms) {
    try {
      form();
    } catch {
      continue;
    }
    return;
  }
  const e = new Error('as it has to be');
  e.stack = ''; // nothing to look up
  throw e;
});
