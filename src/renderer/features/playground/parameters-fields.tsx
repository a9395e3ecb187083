import type { ApiStandard, PlaygroundParameters } from '@shared/contract'
import { parseJson } from '@shared/json'
import i18next from 'i18next'
import { type ReactNode, useState } from 'react'
import { TextAreaField, TextField } from '../../ui/field'
import { SelectField } from '../../ui/select'
import { Switch } from '../../ui/switch'

const t = i18next.getFixedT(null, 'playground')

interface ParametersFieldsProps {
  readonly value: PlaygroundParameters
  readonly onChange: (value: PlaygroundParameters) => void
  /** API standard of the target. Empty fields that it does not support are hidden. */
  readonly standard: ApiStandard
  /** Whether to show the fields that only chats have, such as JSON mode and tools. */
  readonly isChat?: boolean
  /** Content below the field of tools. */
  readonly toolsAction?: ReactNode
}

type FieldProps = Pick<ParametersFieldsProps, 'value' | 'onChange' | 'standard'>

/** Text of a field while the user types. Replaced when the value changes for another reason. */
function useTypedText(shownText: string) {
  const [typed, setTyped] = useState({ text: shownText, of: shownText })
  const text = typed.of === shownText ? typed.text : shownText
  return [text, (nextText: string, sourceText: string) => setTyped({ text: nextText, of: sourceText })] as const
}

function NumberField({ of, value, onChange, standard }: FieldProps & { readonly of: NumberParameter }) {
  const { name, min, max, standards } = of
  const [text, setTyped] = useTypedText(String(value[name] ?? ''))
  const change = (nextText: string): void => {
    const number = readNumber(nextText, of)
    const validNumber = number === 'invalid' ? undefined : number
    setTyped(nextText, String(validNumber ?? ''))
    onChange(withParameter(value, name, validNumber))
  }
  const hasDefault = name === 'maxTokens' && standard === 'messages'
  const rangeHint = min === undefined || max === undefined ? t('parameters.whole') : t('parameters.range', { min, max })
  const error = readNumber(text, of) === 'invalid' ? rangeHint : undefined
  return (
    <TextField
      label={t(`parameters.${name}`)}
      error={standards.includes(standard) ? error : t('parameters.unsupported')}
      inputMode="decimal"
      value={text}
      placeholder={t(hasDefault ? 'parameters.maxTokensDefault' : 'parameters.notSent')}
      title={hasDefault ? t('parameters.maxTokensHint') : rangeHint}
      onChange={change}
    />
  )
}

function StopSequencesField({ value, onChange }: FieldProps) {
  const [text, setTyped] = useTypedText((value.stop ?? []).join('\n'))
  const change = (nextText: string): void => {
    const stopSequences = parseStopSequences(nextText)
    setTyped(nextText, (stopSequences ?? []).join('\n'))
    onChange(withParameter(value, 'stop', stopSequences))
  }
  const texts = { label: t('parameters.stop'), placeholder: t('parameters.stopPlaceholder') }
  return <TextAreaField {...texts} className="min-h-13.5" rows={2} value={text} onChange={change} />
}

function JsonField({ name, value, onChange, standard }: FieldProps & { readonly name: JsonName }) {
  const problem = findJsonProblem(name, value[name])
  const placeholders = {
    tools: t(`parameters.toolsOf.${standard}`),
    schema: t('parameters.schemaExample'),
    extra: '{ }',
  }
  return (
    <TextAreaField
      label={t(`parameters.${name}`)}
      hint={t(`parameters.${name}Hint`)}
      error={problem ? t(`parameters.json.${problem}`) : undefined}
      mono
      className="min-h-16 leading-4.5"
      rows={3}
      value={value[name] ?? ''}
      placeholder={placeholders[name]}
      onChange={(text) => onChange(withParameter(value, name, text === '' ? undefined : text))}
    />
  )
}

const effortLevels = ['low', 'medium', 'high'] as const

/** Model parameters. Empty fields are not sent. */
export function ParametersFields({ value, onChange, standard, isChat = true, toolsAction }: ParametersFieldsProps) {
  const fieldProps = { value, onChange, standard }
  return (
    <div className="flex flex-col gap-4">
      <div className="grid grid-cols-[repeat(auto-fill,minmax(96px,1fr))] gap-3">
        {numberParameters
          // Also show an unsupported parameter that has a value, so that the user can remove it.
          .filter(({ name, standards }) => standards.includes(standard) || value[name] !== undefined)
          .map((parameter) => (
            <NumberField key={parameter.name} of={parameter} {...fieldProps} />
          ))}
      </div>
      <StopSequencesField {...fieldProps} />
      {isChat ? (
        <SelectField
          label={t('parameters.effort')}
          value={value.effort ?? 'notSent'}
          onValueChange={(effort) =>
            onChange(withParameter(value, 'effort', effort === 'notSent' ? undefined : effort))
          }
          options={[
            { value: 'notSent', label: t('parameters.notSent') },
            ...effortLevels.map((effort) => ({ value: effort, label: t(`parameters.efforts.${effort}`) })),
          ]}
        />
      ) : null}
      {isChat && (standard === 'chat-completions' || value.jsonMode) ? (
        <Switch
          label={t('parameters.jsonMode')}
          hint={t(standard === 'messages' ? 'parameters.unsupported' : 'parameters.jsonModeHint')}
          checked={value.jsonMode ?? false}
          onCheckedChange={(on) => onChange(withParameter(value, 'jsonMode', on ? true : undefined))}
        />
      ) : null}
      {isChat ? <JsonField name="schema" {...fieldProps} /> : null}
      {isChat ? <JsonField name="tools" {...fieldProps} /> : null}
      {toolsAction}
      <JsonField name="extra" {...fieldProps} />
    </div>
  )
}

type JsonName = 'tools' | 'schema' | 'extra'

interface NumberParameter {
  readonly name: 'temperature' | 'topP' | 'topK' | 'maxTokens' | 'seed' | 'presencePenalty' | 'frequencyPenalty'
  readonly min?: number
  readonly max?: number
  readonly isWhole?: boolean
  readonly standards: readonly ApiStandard[]
}

const chatAndMessages = ['chat-completions', 'messages'] as const
const chatStandards = ['chat-completions'] as const

/** Numeric model parameters in display order. */
const numberParameters: readonly NumberParameter[] = [
  { name: 'temperature', min: 0, max: 2, standards: chatAndMessages },
  { name: 'maxTokens', min: 1, max: 10_000_000, isWhole: true, standards: chatAndMessages },
  { name: 'topP', min: 0, max: 1, standards: chatAndMessages },
  { name: 'topK', min: 1, max: 1000, isWhole: true, standards: ['messages'] },
  { name: 'seed', isWhole: true, standards: chatStandards },
  { name: 'presencePenalty', min: -2, max: 2, standards: chatStandards },
  { name: 'frequencyPenalty', min: -2, max: 2, standards: chatStandards },
]

/** Parses a number. Undefined for an empty text, and `invalid` for a bad value. Accepts a decimal comma. */
function readNumber(text: string, { min, max, isWhole = false }: NumberParameter): number | undefined | 'invalid' {
  const trimmedText = text.trim().replace(',', '.')
  if (trimmedText === '') return undefined
  const value = Number(trimmedText)
  const isInRange =
    Number.isFinite(value) &&
    (!isWhole || Number.isSafeInteger(value)) &&
    (min === undefined || value >= min) &&
    (max === undefined || value <= max)
  return isInRange ? value : 'invalid'
}

/** Problem of a JSON text that is malformed or has the wrong shape. Returns undefined if valid or empty. */
function findJsonProblem(
  name: JsonName,
  text: string | undefined,
): 'unreadable' | 'notArray' | 'notObject' | undefined {
  if (text === undefined || text.trim() === '') return undefined
  const value = parseJson(text)
  if (value === undefined) return 'unreadable'
  if (name === 'tools') return Array.isArray(value) ? undefined : 'notArray'
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? undefined : 'notObject'
}

export const isSendable = (parameters: PlaygroundParameters): boolean =>
  (['tools', 'schema', 'extra'] as const).every((name) => findJsonProblem(name, parameters[name]) === undefined)

/** Removes the parameter when `value` is undefined. */
export function withParameter<N extends keyof PlaygroundParameters>(
  parameters: PlaygroundParameters,
  name: N,
  value: PlaygroundParameters[N],
): PlaygroundParameters {
  const { [name]: _, ...rest } = parameters
  return value === undefined ? rest : { ...rest, [name]: value }
}

export const countSetParameters = (parameters: PlaygroundParameters): number =>
  Object.values(parameters).filter((value) => value !== undefined).length

/** Stop sequences, one per line. */
function parseStopSequences(text: string): string[] | undefined {
  const stopSequences = text.split('\n').filter((line) => line !== '')
  return stopSequences.length === 0 ? undefined : stopSequences.slice(0, 8)
}
