import { hashOf } from './content'
import { isJsonObject, type Json } from './editors/json-value'
import { digestOf, type Journal } from './journal'

/** The key that this app wrote in plain text, as it stands somewhere in a value; known by its digest. */
export function ownKeyIn(value: Json | undefined, journal: Journal | undefined): string | undefined {
  const { keyDigest, salt } = journal ?? {}
  if (keyDigest === undefined || salt === undefined || value === undefined) return undefined
  return textsIn(value).find((text) => digestOf(hashOf(text), salt) === keyDigest)
}

function textsIn(value: Json): string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  return isJsonObject(value) ? Object.values(value).flatMap(textsIn) : []
}
