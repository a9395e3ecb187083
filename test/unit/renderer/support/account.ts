import type { AccountPlanView, AccountView, PackageView, PlanModelView, SubscriptionKeyView } from '@shared/contract'
import { connection } from './connections'

const dayMs = 86_400_000

/** A time this many days from now. */
export const daysFromNow = (days: number, startMs = Date.now()): string =>
  new Date(startMs + days * dayMs).toISOString()

/** The active connection, with a console. */
export const consoleConnection = connection({
  id: 'c1',
  isActive: true,
  addresses: { tokenPlanUrl: 'https://gateway.example.com', consoleUrl: 'https://console.example.com' },
})

/** A model with plenty of quota left. */
export const model = (overrides: Partial<PlanModelView> = {}): PlanModelView => ({
  modelCode: 'aurora-large',
  displayName: 'Aurora Large',
  hostingMode: 'managed',
  status: 'ACTIVE',
  tokenQuota: 1_000_000,
  requestQuota: 1_000,
  tokensUsed: 200_000,
  requestsUsed: 100,
  enabledTypes: ['chat'],
  endpoint: 'https://gateway.example.com',
  ...overrides,
})

export const accountPlan = (overrides: Partial<AccountPlanView> = {}): AccountPlanView => ({
  planId: 'a1',
  name: 'platform-team',
  packageId: 'package-pro',
  planType: 'Pro',
  status: 'ACTIVE',
  provisioned: true,
  autoRenew: true,
  purchasedAt: daysFromNow(-10),
  expiresAt: daysFromNow(20),
  cycleDays: 30,
  keysUsed: 2,
  maxKeys: 5,
  total: 490_000,
  gatewayUrl: 'https://gateway.example.com',
  models: [model()],
  usedBy: [],
  ...overrides,
})

export const buildPackage = (overrides: Partial<PackageView> = {}): PackageView => ({
  packageId: 'package-pro',
  planType: 'Pro',
  price: 490_000,
  durationDays: 30,
  maxKeys: 5,
  models: [
    {
      modelCode: 'aurora-large',
      displayName: 'Aurora Large',
      hostingMode: 'managed',
      tokenQuota: 20_000_000,
      requestQuota: 20_000,
      enabledTypes: ['chat'],
    },
  ],
  ...overrides,
})

export const subscriptionKey = (overrides: Partial<SubscriptionKeyView> = {}): SubscriptionKeyView => ({
  keyId: 'k1',
  name: 'lan-laptop',
  status: 'ACTIVE',
  masked: 'sk-...a1b2',
  createdAt: daysFromNow(-3),
  kept: 'keychain',
  usedBy: [],
  ...overrides,
})

export const buildBuyer = (overrides: Partial<AccountView> = {}): AccountView => ({
  accountId: 'acc-1',
  role: 'ADMIN',
  credits: 1_000_000,
  ...overrides,
})
