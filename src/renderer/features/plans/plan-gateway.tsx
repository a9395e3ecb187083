import { useTranslation } from 'react-i18next'
import { CopyText } from '../../copy-text'
import { useCall } from '../../ipc'
import { Code } from '../../ui/code'
import { Card, Section } from '../../ui/page'
import { StandardAddresses } from './address-reading'
import styles from './plan.module.css'

/** The gateway of a plan, and what tools of each standard get and call. */
export function PlanGateway({ gatewayUrl }: { gatewayUrl: string }) {
  const { t } = useTranslation('plans')
  const { data } = useCall('plans.readAddress', { text: gatewayUrl }, { staleTime: Number.POSITIVE_INFINITY })
  return (
    <Section title={t('page.gateway')}>
      <Card>
        <div className={styles.gateway}>
          <p className={styles.address}>
            <Code quiet wrap>
              {gatewayUrl}
            </Code>
            <CopyText text={gatewayUrl} label={t('address.copy')} />
          </p>
          {data ? <StandardAddresses address={data} /> : null}
        </div>
      </Card>
    </Section>
  )
}
