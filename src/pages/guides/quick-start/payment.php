$paid = post("/invoices/{$invoice['id']}/payments", ['amount' => 67.51, 'paid_on' => '2026-02-03']);
echo "{$paid['number']}: {$paid['amount_due']} of {$paid['total_gross']} {$paid['currency']} is due.\n";
