/** A key of this computer: what every call about rotating names. */
export interface KeyHere {
  readonly planId: string
  readonly keyId: string
}

/** The page that chooses a key to rotate. */
export const rotatePath = '/rotate'

/** The page with what rotating a key would do. */
export const rotateKeyPath = ({ planId, keyId }: KeyHere): string =>
  `/rotate?${new URLSearchParams({ plan: planId, key: keyId }).toString()}`

/** The page of a rotation that was begun. */
export const rotationPath = (id: string): string => `/rotate/${encodeURIComponent(id)}`

const many = 'one'

/** The page that rotates several keys; a single one has its own. */
export function rotateManyPath(keys: readonly KeyHere[]): string {
  const [first] = keys
  if (first && keys.length === 1) return rotateKeyPath(first)
  const query = new URLSearchParams(keys.map(({ planId, keyId }) => [many, JSON.stringify([planId, keyId])]))
  return `/rotate/many?${query.toString()}`
}

function readPair(text: string): readonly KeyHere[] {
  try {
    const pair: unknown = JSON.parse(text)
    const [planId, keyId]: readonly unknown[] = Array.isArray(pair) ? pair : []
    return typeof planId === 'string' && typeof keyId === 'string' ? [{ planId, keyId }] : []
  } catch {
    return []
  }
}

/** The keys that an address of `rotateManyPath` names. */
export const readMany = (query: URLSearchParams): readonly KeyHere[] => query.getAll(many).flatMap(readPair)
