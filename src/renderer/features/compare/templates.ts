import type { ComparisonSetup, PlanView, PlaygroundSetup, PlaygroundTarget } from '@shared/contract'
import { followTexts, newId } from './setup'

/** What a new comparison begins as: several models with one prompt, or several wordings of a prompt with one model. */
export const templates = ['models', 'prompts'] as const
export type Template = (typeof templates)[number]

/** How many models of a plan a new comparison begins with. */
const modelsAtFirst = 3

/** The models that a plan has, as targets. */
const targetsOf = (plan: PlanView | undefined): readonly PlaygroundTarget[] =>
  (plan?.models ?? []).map((modelCode) => ({
    kind: 'plan',
    planId: plan?.id ?? '',
    standard: 'chat-completions',
    modelCode,
  }))

interface Words {
  readonly title: string
  /** The names of the two wordings. */
  readonly variants: readonly [string, string]
}

/** The setup of a new comparison, with the models of the plan in use. */
export function setupFrom(template: Template, plan: PlanView | undefined, words: Words): ComparisonSetup {
  const targets = targetsOf(plan)
  const column = (target: PlaygroundTarget | undefined) => ({
    id: newId(),
    name: '',
    system: '',
    parameters: {},
    ...(target && { target }),
  })
  const models = targets.slice(0, modelsAtFirst).map(column)
  return {
    title: words.title,
    prompt: '',
    columns:
      template === 'prompts'
        ? words.variants.map((name) => ({ ...column(targets[0]), name, prompt: '' }))
        : models.length > 1
          ? models
          : [column(targets[0]), column(targets[0])],
    variables: [],
    cases: [],
  }
}

/** A prompt of the library, or one that is being written. */
export interface TriedPrompt extends PlaygroundSetup {
  readonly name: string
  readonly text: string
}

const isSameModel = (a: PlaygroundTarget, b: PlaygroundTarget): boolean =>
  a.kind === b.kind && a.modelCode === b.modelCode && (a.kind !== 'plan' || b.kind !== 'plan' || a.planId === b.planId)

/** The setup that tries a prompt on its own model and on others of the plan in use. */
export function setupOfPrompt(prompt: TriedPrompt, plan: PlanView | undefined): ComparisonSetup {
  const { name, text, target: own, system, parameters } = prompt
  const others = targetsOf(plan).filter((target) => !own || !isSameModel(target, own))
  const targets = [...(own ? [own] : []), ...others].slice(0, modelsAtFirst)
  const columns = (targets.length > 0 ? targets : [undefined]).map((target) => ({
    id: newId(),
    name: '',
    system,
    parameters,
    ...(target && { target }),
  }))
  const empty = { title: name, prompt: '', columns: [], variables: [], cases: [] }
  return followTexts(empty, { ...empty, prompt: text, columns })
}
