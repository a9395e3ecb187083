import type { Failure } from '@shared/failure'
import { useEffect } from 'react'
import { useForm } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import {
  extraId,
  extraProblem,
  type FormValue,
  type FormValues,
  initialValues,
  type Problem,
  problemOf,
} from './form-values'
import { bareName } from './lookup'
import type { FormField, ResourceCall, Subject } from './resource'
import { useText } from './use-text'

const lastPart = (field: string): string => bareName(field.split(/[./]/).at(-1) ?? '')

/** What is wrong with a field, in words; nothing when it is fit to be sent. */
function useProblemWords(): (problem: Problem | undefined, field?: FormField) => string | undefined {
  const { t } = useTranslation('resources')
  const { t: common } = useTranslation('common')
  const text = useText()
  return (problem, field) => {
    if (problem === undefined) return undefined
    if (problem === 'required') return common('required')
    return problem === 'rule' && field?.rule ? text(field.rule.words) : t(`problems.${problem}`)
  }
}

/** The values of a call's form, and what is wrong with them: checked when a field is left, and before anything is sent. */
export function useCallForm(asked: ResourceCall, subject: Subject | undefined) {
  const { fields = [] } = asked
  const words = useProblemWords()
  const form = useForm<FormValues>({ defaultValues: initialValues(asked, subject), mode: 'onTouched' })
  const rulesOf = (field: FormField) => ({
    validate: (value: FormValue): string | true => words(problemOf(field, value), field) ?? true,
  })
  const extraRules = { validate: (value: FormValue): string | true => words(extraProblem(value)) ?? true }
  return { form, fields, rulesOf, extraRules }
}

interface Refused {
  readonly failure: Failure | undefined
  readonly fields: readonly FormField[]
  readonly setError: (id: string, error: { readonly message: string }) => void
}

/** Puts what main refused beside the field it is about, when the form has that field. */
export function useRefusedField({ failure, fields, setError }: Refused): void {
  const text = useText()
  useEffect(() => {
    if (failure?.code !== 'input.invalid' || failure.field === undefined) return
    const refused = lastPart(failure.field)
    const field = fields.find(({ id, at }) => bareName(at?.at(-1) ?? id) === refused)
    if (field) setError(field.id, { message: field.rule ? text(field.rule.words) : failure.message })
    else setError(extraId, { message: failure.message })
  }, [failure, fields, setError, text])
}
