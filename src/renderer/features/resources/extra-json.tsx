import { Controller, useWatch } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { Field } from '../../ui/field'
import { TextArea } from '../../ui/text-area'
import { bodyOf, extraId, extraProblem } from './form-values'
import styles from './resources.module.css'
import type { useCallForm } from './use-form'

type Sheet = ReturnType<typeof useCallForm>

/** The body as it will be sent; secrets stand as a sign. */
function Preview({ form, fields }: Pick<Sheet, 'form' | 'fields'>) {
  const { t } = useTranslation('resources')
  useWatch({ control: form.control })
  const values = form.getValues()
  if (extraProblem(values[extraId])) return null
  const shown = JSON.stringify(bodyOf(fields, values), undefined, 2).replaceAll(
    /\{\s*"\$pending": "[^"]*"\s*\}/g,
    `"${t('extra.secretSign')}"`,
  )
  return (
    <details className={styles.preview}>
      <summary>{t('extra.preview')}</summary>
      <pre>{shown}</pre>
    </details>
  )
}

interface ExtraJsonProps {
  readonly sheet: Sheet
  /** The call puts what is sent in the place of all there is. */
  readonly replaces: boolean
}

/** What a person adds to the body beside the fields, as JSON; it wins over them. */
export function ExtraJson({ sheet, replaces }: ExtraJsonProps) {
  const { t } = useTranslation('resources')
  const { form, fields, extraRules } = sheet
  return (
    <>
      <Controller
        name={extraId}
        control={form.control}
        rules={extraRules}
        render={({ field: { value, onChange, onBlur }, fieldState: { error } }) => (
          <Field
            label={t('extra.label')}
            optional
            hint={t(replaces ? 'extra.replaces' : 'extra.hint')}
            error={error?.message}
          >
            <TextArea
              rows={4}
              className={styles.mono}
              placeholder={'{ "labels": { "team": "search" } }'}
              value={typeof value === 'string' ? value : ''}
              onChange={onChange}
              onBlur={onBlur}
            />
          </Field>
        )}
      />
      <Preview form={form} fields={fields} />
    </>
  )
}
