import { fieldOf, isPlain, textOf } from '../resources/lookup'
import type { FormField, Json, ResourceT } from '../resources/resource'
import { flavorField } from './config-fields'

type Choice = Extract<NonNullable<FormField['options']>, readonly unknown[]>[number]

const idNames = ['id', 'flavorId', 'code', 'uuid', 'name']
const nameNames = ['name', 'displayName', 'title', 'label']

/** What tells one flavor from another, the unit where the field's name says it. */
const facts: readonly { readonly names: readonly string[]; readonly say: (t: ResourceT, value: string) => string }[] = [
  { names: ['vCPU', 'vCpus', 'cpu', 'cpus', 'cores'], say: (t, value) => t('runtimes:flavor.cpu', { value }) },
  { names: ['memoryGiB', 'ramGiB'], say: (_, value) => `${value} GiB` },
  { names: ['memoryGB', 'ramGB'], say: (_, value) => `${value} GB` },
  { names: ['memoryMiB', 'ramMiB'], say: (_, value) => `${value} MiB` },
  { names: ['memoryMB', 'ramMB'], say: (_, value) => `${value} MB` },
  { names: ['memory', 'ram'], say: (t, value) => t('runtimes:flavor.memory', { value }) },
  { names: ['gpu', 'gpus', 'gpuCount'], say: (t, value) => t('runtimes:flavor.gpu', { value }) },
  { names: ['pricePerHour', 'hourlyPrice'], say: (t, value) => t('runtimes:flavor.perHour', { value }) },
]

const idOf = (row: Json): string => (isPlain(row) ? String(row) : textOf(fieldOf(row, idNames)))

function choiceOf(row: Json): Choice {
  const id = idOf(row)
  const name = textOf(fieldOf(row, nameNames)) || id
  const label: Choice['label'] = (t) =>
    [
      name,
      ...facts.flatMap(({ names, say }) => {
        const value = fieldOf(row, names)
        return isPlain(value) ? [say(t, String(value))] : []
      }),
    ].join(' · ')
  return { value: id, label }
}

/** The flavors of a list as choices, told apart by what they have; without an identifier one cannot be chosen. */
export const flavorChoices = (rows: readonly Json[]): readonly Choice[] => {
  const choices = rows.filter((row) => idOf(row) !== '').map(choiceOf)
  return choices.filter(({ value }, at) => choices.findIndex((one) => one.value === value) === at)
}

/** Fields of a form with these choices for the flavor; the one in use stays to choose, also when it is no longer offered. */
export function withFlavors(fields: readonly FormField[], choices: readonly Choice[]): readonly FormField[] {
  if (choices.length === 0) return fields
  return fields.map((field) => {
    if (field.id !== flavorField) return field
    const now = typeof field.initial === 'string' ? field.initial : ''
    const isOffered = now === '' || choices.some(({ value }) => value === now)
    return { ...field, options: isOffered ? choices : [{ value: now, label: () => now }, ...choices] }
  })
}
