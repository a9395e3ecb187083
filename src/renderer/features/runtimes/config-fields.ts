import { foundField, isPlain, textOf } from '../resources/lookup'
import type { FormField, Json } from '../resources/resource'
import { replicas, threshold } from '../resources/rules'
import { names } from './names'

/** What the platform offers to run on, before its words are known. */
export const flavorField = 'flavorId'

const name: FormField = {
  id: 'name',
  kind: 'text',
  isCode: true,
  isRequired: true,
  placeholder: 'support-agent',
  label: (t) => t('runtimes:fields.name'),
  from: names.name,
}

const image: FormField = {
  id: 'image',
  kind: 'text',
  isCode: true,
  isRequired: true,
  placeholder: 'registry.example.com/team/support-agent:1.0.0',
  label: (t) => t('runtimes:fields.image'),
  help: (t) => t('runtimes:fields.imageHelp'),
  from: names.image,
}

const flavor: FormField = {
  id: flavorField,
  kind: 'select',
  label: (t) => t('runtimes:fields.flavor'),
  help: (t) => t('runtimes:fields.flavorHelp'),
  options: { operation: 'runtime.flavors.list', names: ['id', 'flavorId', 'code', 'uuid', 'name'], isUnpaged: true },
  from: names.flavor,
}

/** What is asked for a new runtime. The names of the body's fields are ours (decisions 5). */
export const newFields: readonly FormField[] = [
  name,
  image,
  flavor,
  {
    id: 'replicas',
    kind: 'number',
    rule: replicas,
    initial: '1',
    label: (t) => t('runtimes:fields.replicas'),
    from: names.replicas,
  },
  {
    id: 'cpuUtilizationThreshold',
    kind: 'number',
    rule: threshold,
    initial: '70',
    label: (t) => t('runtimes:fields.cpuThreshold'),
    help: (t) => t('runtimes:fields.thresholdHelp'),
    from: names.cpuThreshold,
  },
  {
    id: 'memoryUtilizationThreshold',
    kind: 'number',
    rule: threshold,
    initial: '70',
    label: (t) => t('runtimes:fields.memoryThreshold'),
    help: (t) => t('runtimes:fields.thresholdHelp'),
    from: names.memoryThreshold,
  },
]

/** The same fields with what a runtime has now, sent under the names it told them by. What it did not tell is left empty and not sent. */
export const changeFields = (row: Json): readonly FormField[] =>
  newFields.map((field) => {
    const found = foundField(row, field.from ?? [field.id])
    const { isRequired: _, ...rest } = field
    if (!found || !isPlain(found[1])) return { ...rest, initial: '' }
    return { ...rest, initial: textOf(found[1]), at: [found[0]] }
  })
