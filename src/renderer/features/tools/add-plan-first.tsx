import { KeyRound } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { ButtonLink } from '../../ui/button'
import { Callout } from '../../ui/callout'

/** Says that a tool needs a plan, with the ways to one. */
export function AddPlanFirst() {
  const { t } = useTranslation('tools')
  return (
    <Callout
      tone="info"
      title={t('noPlanTitle')}
      actions={
        <>
          <ButtonLink size="sm" to="/sandbox">
            {t('openSandbox')}
          </ButtonLink>
          <ButtonLink size="sm" variant="primary" icon={KeyRound} to="/plans/new">
            {t('addPlan')}
          </ButtonLink>
        </>
      }
    >
      {t('noPlanText')}
    </Callout>
  )
}
