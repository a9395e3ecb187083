import { describe, expect, it } from 'vitest'
import { readKeys, rotateKeyPath, rotateManyPath } from '../../../src/renderer/paths'

const readQuery = (path: string): URLSearchParams => new URLSearchParams(path.split('?')[1])

describe('the address of several keys', () => {
  it('contains them whatever their ids contain', () => {
    const keys = [
      { planId: 'p1', keyId: 'k/1' },
      { planId: 'p&2', keyId: 'k 2"' },
    ]
    expect(readKeys(readQuery(rotateManyPath(keys)))).toEqual(keys)
  })

  it('is that of the key when there is only one', () => {
    expect(rotateManyPath([{ planId: 'p1', keyId: 'k1' }])).toBe(rotateKeyPath({ planId: 'p1', keyId: 'k1' }))
  })

  it.each(['one=', 'one=p1', 'one={}', 'one=[1,2]', 'one=["p1"]', 'two=["p1","k1"]', ''])(
    'contains none when it is %j',
    (query) => {
      expect(readKeys(new URLSearchParams(query))).toEqual([])
    },
  )
})
