import { useTranslation } from 'react-i18next'
import { Field } from '../../ui/field'
import { useEditing, useSetup } from './editing'
import { withPrompt } from './setup'
import { VariablesArea } from './variables-area'

/** The prompt that every column gets that has none of its own. */
export function PromptSection() {
  const { t } = useTranslation('compare')
  const { edit } = useEditing()
  const prompt = useSetup((setup) => setup.prompt)
  const own = useSetup((setup) => setup.columns.filter((column) => column.prompt !== undefined).length)
  const all = useSetup((setup) => setup.columns.length)
  // With a prompt of its own in every column the shared one is asked of nobody.
  if (own === all && prompt === '') return null
  return (
    <Field
      label={t('prompt.label')}
      hint={own === 0 ? undefined : t(own === all ? 'prompt.allOwn' : 'prompt.someOwn', { count: own })}
    >
      <VariablesArea
        value={prompt}
        rows={3}
        placeholder={t('prompt.placeholder', { example: '{{name}}' })}
        onChange={(event) => edit((setup) => withPrompt(setup, event.target.value), 'prompt')}
      />
    </Field>
  )
}
