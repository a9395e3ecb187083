import { ModelCode } from '@shared/contract/common'
import type { ModelFacts } from '@shared/contract/plans'
import { modelMembers } from '@shared/model-facts'
import { isObject } from './server-message'

/** Objects inside a model that may contain these members. */
const containers = ['meta', 'limit', 'limits', 'architecture', 'model_info', 'details', 'metadata']

/** Facts about a model in an entry of a model list. Undefined without a model code. */
export function readModelFacts(entry: unknown, codeMembers: readonly string[]): ModelFacts | undefined {
  if (!isObject(entry)) return undefined
  const modelCode = codeMembers.map((name) => ModelCode.safeParse(entry[name]).data).find((code) => code !== undefined)
  if (modelCode === undefined) return undefined
  const places = [entry, ...containers.map((name) => entry[name]).filter(isObject)]
  const read = <T>(names: readonly string[], parse: (value: unknown) => T | undefined): T | undefined =>
    places.flatMap((place) => names.map((name) => parse(place[name]))).find((value) => value !== undefined)
  const contextTokens = read(modelMembers.context, parseTokens) ?? read(['context'], parseTokens)
  const capabilities = read(modelMembers.capabilities, parseCapabilities)
  return { modelCode, ...(contextTokens && { contextTokens }), ...(capabilities && { capabilities }) }
}

const units: Readonly<Record<string, number>> = { '': 1, k: 1000, m: 1_000_000 }

/** Number of tokens in the range that plans accept. Also reads texts such as "128K". */
function parseTokens(value: unknown): number | undefined {
  const [, digits = '', unit = ''] = /^([\d.,_]+)\s*([km]?)(?: tokens)?$/i.exec(String(value).trim()) ?? []
  const tokens = Math.floor(Number(digits.replace(/[,_]/g, '')) * (units[unit.toLowerCase()] ?? 1))
  return digits !== '' && tokens >= 1000 && tokens <= 10_000_000 ? tokens : undefined
}

/** Texts of a list, or names of the true members of an object. */
function parseCapabilities(value: unknown): string[] | undefined {
  const names = Array.isArray(value)
    ? value
    : isObject(value)
      ? Object.keys(value).filter((name) => value[name] === true)
      : []
  const texts = names.filter((name) => typeof name === 'string' && name !== '' && name.length <= 40).slice(0, 20)
  return texts.length > 0 ? texts : undefined
}
