import { useTranslation } from 'react-i18next'
import { ButtonLink } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { useAccount } from '../plans/use-console'
import { mayBuy } from './purchase'

/** Whether buying can be offered: not to a role that may not; a role that is not known yet is not refused. */
export function useCanBuy(connectionId: string): boolean {
  const { data: account } = useAccount(connectionId)
  return account === undefined || mayBuy(account)
}

/** Says who can buy to somebody who cannot, and what they can do; nothing to the others. */
export function RoleNotice({ connectionId }: { readonly connectionId: string }) {
  const { t } = useTranslation(['packages', 'plans'])
  const { data: account } = useAccount(connectionId)
  if (!account || mayBuy(account)) return null
  return (
    <Callout
      tone="info"
      title={t('packages:roles.title', { role: t(`plans:account.roles.${account.role}`) })}
      actions={
        <ButtonLink size="sm" to="/plans/new">
          {t('packages:roles.handed')}
        </ButtonLink>
      }
    >
      {t('packages:roles.text')}
    </Callout>
  )
}
