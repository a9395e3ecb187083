import { contract, type MethodName } from '@shared/contract'
import { z } from 'zod'

/**
 * Targets that an attacking page wants the app to use: a server, a database, and a program, file and folder outside the
 * app.
 */
export interface AttackTarget {
  readonly serverUrl: string
  readonly databaseUrl: string
  readonly command: readonly string[]
  readonly file: string
  readonly folder: string
}

interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly propertyNames?: Schema
  readonly additionalProperties?: Schema | boolean
  readonly items?: Schema | boolean
  readonly prefixItems?: readonly Schema[]
  readonly minItems?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly format?: string
  readonly pattern?: string
  readonly maxLength?: number
}

/** Name and input of a bridge method that an attacking page calls. */
export interface HostileCall {
  readonly name: MethodName
  readonly input: unknown
}

export const methodNames = Object.keys(contract) as MethodName[]

const schemas = new Map(
  methodNames.map((name) => [
    name,
    z.toJSONSchema(contract[name].input, { io: 'input', unrepresentable: 'any', reused: 'inline' }) as Schema & {
      readonly $defs?: Readonly<Record<string, Schema>>
    },
  ]),
)

/** Deterministic random numbers from 0 up to 1 (mulberry32). */
export function createSeededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixedState = Math.imul(state ^ (state >>> 15), 1 | state)
    mixedState = (mixedState + Math.imul(mixedState ^ (mixedState >>> 7), 61 | mixedState)) ^ mixedState
    return ((mixedState ^ (mixedState >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Whether a response field contains an id or address that later calls can use. */
const isIdName = (name: string): boolean => /^(id|handle|callId|url|address)$|Ids?$|Code$/.test(name)

/**
 * Generates valid but harmful inputs: addresses of the attacker's server, commands and paths outside the app, and ids from
 * earlier responses. Derives them from the contract's schemas, so new methods are attacked too.
 */
export class HostileCalls {
  readonly #wanted: AttackTarget
  readonly #random: () => number
  readonly #known = new Map<string, Set<string>>()

  constructor(attackTarget: AttackTarget, random: () => number) {
    this.#wanted = attackTarget
    this.#random = random
  }

  /** Every method once, in a new order, with destructive ones last. */
  round(): HostileCall[] {
    const order = methodNames
      .map((name) => ({
        name,
        at: this.#random() + (/remove|delete|forget|erase|stopManaging|dismiss|revoke/i.test(name) ? 1 : 0),
      }))
      .sort((a, b) => a.at - b.at)
    return order.map(({ name }) => this.of(name))
  }

  of(name: MethodName): HostileCall {
    const schema = schemas.get(name) ?? {}
    return { name, input: this.#value(schema, '', schema.$defs ?? {}) }
  }

  /** Collects ids and addresses from a response, to use them in later calls. */
  learn(value: unknown, name = ''): void {
    if (typeof value === 'string' && isIdName(name)) this.#remember(name, value)
    if (Array.isArray(value)) for (const element of value) this.learn(element, name)
    else if (typeof value === 'object' && value !== null)
      for (const [key, propertyValue] of Object.entries(value)) this.learn(propertyValue, key)
  }

  #remember(name: string, value: string): void {
    const kind = name.replace(/s$/, '')
    const seenValues = this.#known.get(kind) ?? new Set()
    if (seenValues.size < 200) seenValues.add(value)
    this.#known.set(kind, seenValues)
  }

  #pick<T>(choices: readonly T[]): T | undefined {
    return choices[Math.floor(this.#random() * choices.length)]
  }

  #value(schema: Schema, name: string, defs: Readonly<Record<string, Schema>>, depth = 0): unknown {
    if (schema.$ref !== undefined) {
      const target = defs[schema.$ref.split('/').at(-1) ?? ''] ?? {}
      return depth > 6 ? 'deep' : this.#value(target, name, defs, depth + 1)
    }
    const generate = (childSchema: Schema, key = name): unknown => this.#value(childSchema, key, defs, depth + 1)
    if ('const' in schema) return schema.const
    if (schema.enum) return this.#pick(schema.enum)
    const alternatives = schema.anyOf ?? schema.oneOf
    if (alternatives) return generate(this.#pick(alternatives) ?? {})
    switch (schema.type) {
      case 'object':
        return this.#object(schema, generate)
      case 'array':
        return this.#array(schema, name, generate)
      case 'boolean':
        return this.#random() < 0.5
      case 'integer':
      case 'number':
        return Math.min(schema.maximum ?? 1000, Math.max(schema.minimum ?? 0, Math.floor(this.#random() * 100)))
      case 'string':
        return this.#text(schema, name)
      default:
        return schema.type === 'null' ? null : this.#text(schema, name)
    }
  }

  #object(schema: Schema, generate: (childSchema: Schema, key?: string) => unknown): unknown {
    const randomHandle = this.#pick([...(this.#known.get('handle') ?? [])])
    const knownPendingId = this.#pick([...(this.#known.get('pendingId') ?? [])])
    // An object without fixed fields may contain references to secrets in main, so insert one.
    if (schema.properties === undefined && schema.propertyNames?.enum === undefined && this.#random() < 0.7)
      return this.#random() < 0.5
        ? { name: { $held: randomHandle ?? 'none' } }
        : { name: { $pending: knownPendingId ?? 'none' } }
    const { properties = {}, required = [], propertyNames, additionalProperties } = schema
    const chosenProperties = Object.entries(properties).filter(
      ([key]) => required.includes(key) || this.#random() < 0.8,
    )
    const keys = propertyNames?.enum?.map(String) ?? (additionalProperties ? ['id', 'name'] : [])
    const additionalSchema = typeof additionalProperties === 'object' ? additionalProperties : {}
    return Object.fromEntries([
      ...chosenProperties.map(([key, childSchema]) => [key, generate(childSchema, key)]),
      ...keys.map((key) => [key, generate(additionalSchema, key)]),
    ])
  }

  #array(
    { items, prefixItems, minItems = 0 }: Schema,
    name: string,
    generate: (childSchema: Schema, key?: string) => unknown,
  ): unknown {
    if (name === 'command') return [...this.#wanted.command]
    if (prefixItems) return prefixItems.map((childSchema) => generate(childSchema))
    const length = Math.max(minItems, 1 + Math.floor(this.#random() * 2))
    return Array.from({ length }, () => generate(typeof items === 'object' ? items : {}))
  }

  #text({ format, pattern, maxLength = 200 }: Schema, name: string): string {
    const { serverUrl, databaseUrl, file, folder } = this.#wanted
    if (format === 'date-time') return '2026-11-22T00:00:00.000Z'
    if (name === 'address') return this.#pick([serverUrl, databaseUrl]) ?? serverUrl
    if (/url|address|endpoint|host$/i.test(name)) return serverUrl
    if (/path|file$/i.test(name)) return file
    if (/folder/i.test(name)) return folder
    const knownIds = this.#known.get(name.replace(/s$/, '')) ?? this.#known.get('id')
    const id = isIdName(name) && knownIds && this.#random() < 0.95 ? this.#pick([...knownIds]) : undefined
    if (id !== undefined) return id
    if (name === 'operation')
      return this.#pick(['memory.memories.create', 'aip.apiKeys.create', 'identity.apiKeyProviders.create']) ?? ''
    const word = `attack-${Math.floor(this.#random() * 1e9)}`
    return (pattern === undefined ? (this.#pick([word, serverUrl, file]) ?? word) : word).slice(0, maxLength)
  }
}
