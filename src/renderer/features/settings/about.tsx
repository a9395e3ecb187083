import type { AppView } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { CopyText } from '../../copy-text'
import { Code } from '../../ui/code'
import { KeyValue } from '../../ui/key-value'
import { Card } from '../../ui/page'

/** Version, system, and where the app keeps what it knows. */
export function About({ app }: { readonly app: AppView }) {
  const { t } = useTranslation('settings')
  return (
    <Card>
      <KeyValue
        items={[
          { label: t('about.version'), value: app.version },
          { label: t('about.platform'), value: t(`about.platforms.${app.platform}`) },
          {
            label: t('about.dataDir'),
            value: (
              <Code quiet wrap>
                {app.dataDir}
              </Code>
            ),
            action: <CopyText text={app.dataDir} label={t('about.copyDataDir')} />,
          },
        ]}
      />
    </Card>
  )
}
