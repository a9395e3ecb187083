import type { Route } from '@shared/contract'

/** What this app set a tool up with, from a moment on (ISO 8601). */
export interface ToolUse {
  readonly toolId: string
  readonly at: string
  readonly choice: {
    readonly planId: string
    readonly keyId?: string | undefined
    readonly modelCode: string
    readonly slots: Readonly<Record<string, string>>
    readonly route?: Route | undefined
  }
}

/** Whose a request was. */
interface Owner {
  readonly planId: string
  readonly keyId?: string | undefined
  /** It went through the relay, which counted it. */
  readonly isRelayed: boolean
}

/** The plan and key that a tool made a request with; undefined when it may have been another provider's. */
export type Attribution = (request: {
  readonly toolId: string
  readonly modelCode: string
  /** In ms. */
  readonly at: number
}) => Owner | undefined

/** Attributes by what tools were set up with last: a request after that whose model is one of the choice. A tool without a named key takes the first. */
export function attributionBy(
  uses: readonly ToolUse[],
  defaultKeyOf: (planId: string) => string | undefined,
): Attribution {
  const newest = uses
    .map((use) => ({ ...use, from: Date.parse(use.at), codes: codesOf(use) }))
    .toSorted((a, b) => b.from - a.from)
  return ({ toolId, modelCode, at }) => {
    const use = newest.find((one) => one.toolId === toolId && one.from <= at && one.codes.has(modelCode))
    if (!use) return undefined
    const { planId, keyId = defaultKeyOf(planId), route } = use.choice
    return { planId, keyId, isRelayed: route === 'relay' }
  }
}

const codesOf = ({ choice }: ToolUse): ReadonlySet<string> =>
  new Set([choice.modelCode, ...Object.values(choice.slots)])
