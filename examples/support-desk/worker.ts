// Carries out the refunds that the agent asks for, where your payment system can be reached.
import { AgentService } from 'agent-service-client';

const svc = new AgentService({ baseUrl: process.env.SVC_URL ?? 'http://127.0.0.1:8080', key: process.env.SVC_KEY });

const worker = svc.worker({
  actions: {
    'support.refund': async ({ order, amount, approval }, { deliveryId }) => {
      // A question alone stops nothing: the worker looks for itself whether a person said yes.
      const { status, outcome, title } = await svc.interactions.get(String(approval));
      const isApproved = status === 'completed' && outcome?.answers[0]?.value === 'approved';
      if (!isApproved || title !== `Refund ${amount} for ${order}?`)
        throw new Error(`no approval of ${amount} for ${order}`);
      // Here the payment system is called, with deliveryId as its retry key: the same job may be offered twice.
      console.log(`worker: refunded ${amount} for ${order} under ${deliveryId}`);
      return { refunded: amount };
    },
  },
});

process.once('SIGTERM', () => void worker.drain());
await worker.done;
