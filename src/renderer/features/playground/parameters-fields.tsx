import type { PlaygroundParameters, Standard } from '@shared/contract'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Field, TextInput } from '../../ui/field'
import { Switch } from '../../ui/switch'
import { TextArea } from '../../ui/text-area'
import { jsonTrouble, type NumberParameter, numberParameters, readNumber, readStops, withParameter } from './parameters'
import styles from './parameters-fields.module.css'

interface ParametersFieldsProps {
  readonly value: PlaygroundParameters
  readonly onChange: (value: PlaygroundParameters) => void
  /** Fields that it does not know are not shown; what they hold is kept for the other one. */
  readonly standard: Standard
  /** Also what only chats take: JSON mode and tools. */
  readonly isChat?: boolean
}

type FieldProps = Pick<ParametersFieldsProps, 'value' | 'onChange' | 'standard'>

/** What is typed stays as it is typed; a value from outside takes its place. */
function useTyped(shown: string) {
  const [typed, setTyped] = useState({ text: shown, of: shown })
  const text = typed.of === shown ? typed.text : shown
  return [text, (next: string, of: string) => setTyped({ text: next, of })] as const
}

function NumberField({ of, value, onChange, standard }: FieldProps & { readonly of: NumberParameter }) {
  const { t } = useTranslation('playground')
  const { name, min, max } = of
  const [text, setTyped] = useTyped(value[name] === undefined ? '' : String(value[name]))
  const isInvalid = readNumber(text, of) === 'invalid'
  const change = (next: string): void => {
    const read = readNumber(next, of)
    const known = read === 'invalid' ? undefined : read
    setTyped(next, known === undefined ? '' : String(known))
    onChange(withParameter(value, name, known))
  }
  const range =
    min === undefined || max === undefined ? t('parameters.whole') : t('parameters.range', { min: min, max: max })
  return (
    <Field label={t(`parameters.${name}`)} error={isInvalid ? range : undefined}>
      <TextInput
        inputMode="decimal"
        value={text}
        placeholder={t(
          name === 'maxTokens' && standard === 'messages' ? 'parameters.maxTokensDefault' : 'parameters.notSent',
        )}
        title={name === 'maxTokens' && standard === 'messages' ? t('parameters.maxTokensHint') : range}
        onChange={(event) => change(event.target.value)}
      />
    </Field>
  )
}

function StopField({ value, onChange }: FieldProps) {
  const { t } = useTranslation('playground')
  const [text, setTyped] = useTyped((value.stop ?? []).join('\n'))
  const change = (next: string): void => {
    const stop = readStops(next)
    setTyped(next, (stop ?? []).join('\n'))
    onChange(withParameter(value, 'stop', stop))
  }
  return (
    <Field label={t('parameters.stop')}>
      <TextArea
        className={styles.short}
        rows={2}
        value={text}
        placeholder={t('parameters.stopPlaceholder')}
        onChange={(event) => change(event.target.value)}
      />
    </Field>
  )
}

function JsonField({ name, value, onChange, standard }: FieldProps & { readonly name: 'tools' | 'extra' }) {
  const { t } = useTranslation('playground')
  const trouble = jsonTrouble(name, value[name])
  return (
    <Field
      label={t(`parameters.${name}`)}
      hint={t(`parameters.${name}Hint`)}
      error={trouble ? t(`parameters.json.${trouble}`) : undefined}
    >
      <TextArea
        className={styles.json}
        rows={3}
        value={value[name] ?? ''}
        placeholder={name === 'extra' ? '{ }' : t(`parameters.toolsOf.${standard}`)}
        onChange={({ target }) => onChange(withParameter(value, name, target.value === '' ? undefined : target.value))}
      />
    </Field>
  )
}

/** What a model is told beside the messages. Every empty field is not sent at all. */
export function ParametersFields({ value, onChange, standard, isChat = true }: ParametersFieldsProps) {
  const { t } = useTranslation('playground')
  const rest = { value, onChange, standard }
  return (
    <div className={styles.fields}>
      <div className={styles.numbers}>
        {numberParameters
          .filter(({ standards }) => standards.includes(standard))
          .map((of) => (
            <NumberField key={of.name} of={of} {...rest} />
          ))}
      </div>
      <StopField {...rest} />
      {isChat && standard === 'chat-completions' ? (
        <Switch
          label={t('parameters.jsonMode')}
          hint={t('parameters.jsonModeHint')}
          checked={value.jsonMode ?? false}
          onCheckedChange={(on) => onChange(withParameter(value, 'jsonMode', on ? true : undefined))}
        />
      ) : null}
      {isChat ? <JsonField name="tools" {...rest} /> : null}
      <JsonField name="extra" {...rest} />
    </div>
  )
}
