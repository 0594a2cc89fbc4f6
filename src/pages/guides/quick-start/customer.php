$customer = post('/customers', [
    'type' => 'customer',
    'company_name' => 'Bäckerei Sonnenschein GmbH',
    'email' => 'buero@sonnenschein.example',
    'city' => 'Kiel',
    'country' => 'DE',
]);
