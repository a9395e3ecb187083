/** A plan in a console's response. */
export const planAnswer = {
  planId: 'p1',
  name: 'team',
  packageId: 'package-pro',
  planType: 'Pro',
  status: 'ACTIVE',
  provisioned: true,
  autoRenew: true,
  purchasedAt: '2026-03-01T00:00:00Z',
  expiresAt: '2026-03-31T00:00:00Z',
  cycleDays: 30,
  keysUsed: 1,
  maxKeys: 5,
  total: 490_000,
  gatewayUrl: 'https://gw.example.com',
  models: [
    {
      modelCode: 'm',
      displayName: 'M',
      hostingMode: 'Shared',
      status: 'ACTIVE',
      tokenQuota: 100,
      requestQuota: 10,
      tokensUsed: 1,
      requestsUsed: 1,
      enabledTypes: ['chat'],
      endpoint: 'https://gw.example.com',
    },
  ],
}

/** A key in a console's response. */
export const keyAnswer = {
  keyId: 'k1',
  name: 'default-key',
  status: 'ACTIVE',
  key: 'sk-answer-0123456789abcdef',
  createdAt: '2026-03-01T00:00:00Z',
}
