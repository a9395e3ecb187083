import { List } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Field, TextInput } from '../../ui/field'
import { IconButton } from '../../ui/icon-button'
import { Select } from '../../ui/select'
import { sameModel } from './choice'

interface ModelFieldProps {
  readonly label: string
  readonly hint?: string | undefined
  readonly value: string
  readonly models: readonly string[]
  /** Offers "the same as the model" as well. */
  readonly offersSame?: boolean
  readonly onChange: (code: string) => void
}

/** Begins with a space, so that it is never a model code. */
const anotherCode = ' other'

/** A model code: from the plan's list, or typed when the plan lists none or another one is wanted. */
export function ModelField({ label, hint, value, models, offersSame = false, onChange }: ModelFieldProps) {
  const { t } = useTranslation('tools')
  const isListed = models.includes(value) || (offersSame && value === sameModel)
  // Only once the person types: a code that the plan does not list may be replaced by one that it lists, when the tool is changed elsewhere.
  const [isTyping, setIsTyping] = useState(false)
  const hasList = models.length > 0 || offersSame
  if (isTyping || (!isListed && value !== '') || !hasList) {
    return (
      <Field label={label} hint={models.length === 0 && !offersSame ? t('noModels') : (hint ?? t('modelHint'))}>
        <TextInput
          mono
          value={value === sameModel ? '' : value}
          onChange={(event) => {
            setIsTyping(true)
            onChange(event.target.value)
          }}
          trailing={
            hasList ? (
              <IconButton
                icon={List}
                size="sm"
                label={t('fromList')}
                onClick={() => {
                  setIsTyping(false)
                  onChange(offersSame ? sameModel : (models[0] ?? ''))
                }}
              />
            ) : null
          }
        />
      </Field>
    )
  }
  const choose = (code: string): void => {
    if (code === anotherCode) setIsTyping(true)
    onChange(code === anotherCode ? '' : code)
  }
  return (
    <Field label={label} {...(hint ? { hint } : {})}>
      <Select
        value={value === '' ? undefined : value}
        onValueChange={choose}
        options={[
          ...(offersSame ? [{ value: sameModel, label: t('sameModel') }] : []),
          ...models.map((code) => ({ value: code, label: code })),
          { value: anotherCode, label: t('otherModel') },
        ]}
      />
    </Field>
  )
}
