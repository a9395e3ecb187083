import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useAction } from '../../ipc'
import { useCurrentPlan } from '../../session'
import { comparisonPath } from './paths'
import { newId } from './setup'
import { setupFrom, setupOfPrompt, type Template, type TriedPrompt } from './templates'
import { useSayFailure } from './use-say'

/** Makes a comparison from a template or of a prompt, and goes there. */
export function useNewComparison() {
  const { t } = useTranslation('compare')
  const navigate = useNavigate()
  const plan = useCurrentPlan()
  const onError = useSayFailure()
  const saving = useAction('playground.saveComparison', {
    invalidates: ['playground'],
    onError,
    onSuccess: ({ id }) => void navigate(comparisonPath(id)),
  })
  const begin = (template: Template): void =>
    saving.mutate({
      id: newId(),
      setup: setupFrom(template, plan, {
        title: t(`templates.${template}.name`),
        variants: [t('templates.first'), t('templates.second')],
      }),
    })
  const beginWith = (prompt: TriedPrompt): void => saving.mutate({ id: newId(), setup: setupOfPrompt(prompt, plan) })
  return { begin, beginWith, isPending: saving.isPending }
}
