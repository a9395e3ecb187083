import { expect, test } from 'vitest'
import { createKeyFinder, deriveSecret } from '../../../../src/sandbox/state/store'
import { plainWorld } from '../plain-world'

const seed = 'ef'.repeat(32)
const world = plainWorld(seed, 0)

test('a secret has a fixed form, is the same for the same seed and id, and differs otherwise', () => {
  const secret = deriveSecret(seed, 'key-pro-default')
  expect(secret).toMatch(/^sk-sandbox-[0-9a-f]{40}$/)
  expect(deriveSecret(seed, 'key-pro-default')).toBe(secret)
  expect(new Set([secret, deriveSecret(seed, 'other'), deriveSecret('00'.repeat(32), 'key-pro-default')]).size).toBe(3)
})

test('every key is found by its secret, including added ones and those of a new seed', () => {
  const find = createKeyFinder()
  for (const { keyId } of world.keys) expect(find(world, deriveSecret(seed, keyId))).toBe(keyId)
  const [firstKey] = world.keys
  const worldWithKey = { ...world, keys: [...world.keys, ...(firstKey ? [{ ...firstKey, keyId: 'added' }] : [])] }
  expect(find(worldWithKey, deriveSecret(seed, 'added'))).toBe('added')
  expect(find(world, deriveSecret(seed, 'added'))).toBeUndefined()
  const reseededWorld = { ...world, seed: '12'.repeat(32) }
  expect(find(reseededWorld, deriveSecret(seed, 'key-pro-default'))).toBeUndefined()
  expect(find(reseededWorld, deriveSecret(reseededWorld.seed, 'key-pro-default'))).toBe('key-pro-default')
})
