import { register as contract } from '@shared/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chooseKeyName, readNames } from '../../../../../src/main/keys/handout/holder-key'

const toHolders = (...names: readonly string[]) => names.map((name) => ({ kind: 'person', name }))

describe('names', () => {
  it.each<[string, string, ReturnType<typeof toHolders>, string[]]>([
    ['lines', 'An\n\n  Bình \r\nchi@example.com', toHolders('An', 'Bình', 'chi@example.com'), []],
    ['names that come twice', 'An\nan\nBình', toHolders('An', 'Bình'), ['an']],
    ['a comma in a name', 'Nguyễn, An\nTrần, Bình', toHolders('Nguyễn, An', 'Trần, Bình'), []],
    [
      'kinds beside names',
      'An,person\nci,tool\nci,person',
      [...toHolders('An'), { kind: 'tool', name: 'ci' }, ...toHolders('ci')],
      [],
    ],
    [
      'a heading',
      'Email,Name,Kind\na@x.vn,An,person\nb@x.vn,ci,tool',
      [...toHolders('An'), { kind: 'tool', name: 'ci' }],
      [],
    ],
    ['a heading in Vietnamese', 'STT;Họ và tên\n1;Nguyễn An', toHolders('Nguyễn An'), []],
    ['quotes', 'name,kind\n"Nguyễn, ""An""",tool', [{ kind: 'tool', name: 'Nguyễn, "An"' }], []],
    ['tabs', 'name\tkind\nci\ttool', [{ kind: 'tool', name: 'ci' }], []],
    ['a row without a name', 'name,kind\n,tool\nAn,', toHolders('An'), [',tool']],
    ['a name that is too long', `${'x'.repeat(101)}\nAn`, toHolders('An'), ['x'.repeat(101)]],
    ['what steers a terminal', 'A\u001b[31mn\u202e', toHolders('A[31mn'), []],
    ['nothing', ' \n\t\n', [], []],
  ])('are read from %s', (_, text, holders, left) => {
    expect(readNames(text)).toEqual({ holders, left })
  })

  it('are at most 100', () => {
    const { holders, left } = readNames(Array.from({ length: 130 }, (_, n) => `n${n}`).join('\n'))
    expect([holders.length, left.length]).toEqual([100, 30])
  })

  it('fit the contract whatever is pasted', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        contract['handouts.readNames'].output.parse(readNames(text))
      }),
    )
  })
})

it.each([
  ['An', [], 'An'],
  ['An', ['an'], 'An-2'],
  ['An', ['An', 'AN-2'], 'An-3'],
  ['  Nguyễn\tVăn \u0000An ', [], 'Nguyễn Văn An'],
  ['\u0000', [], 'key'],
  ['x'.repeat(80), [], 'x'.repeat(50)],
  ['x'.repeat(80), ['x'.repeat(50)], `${'x'.repeat(48)}-2`],
  ['👩‍💻'.repeat(20), [], '👩‍💻'.repeat(10)],
])('the name of a key for %j next to %j is %j', (holder, takenNames, name) => {
  expect(chooseKeyName(holder, takenNames)).toBe(name)
  expect(name.length).toBeLessThanOrEqual(50)
})
